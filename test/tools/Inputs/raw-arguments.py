"""Arguments of raw.heddle: two rows, one of them shorter; the second row's tokens see nothing. And one of rotations.heddle."""
import sys

import numpy as np

chance = np.random.default_rng(0)
others = chance.integers(1, 10, (2, 9))
others[:, 2] = 0
others[1, :] = 0
for name, array in (("tokens", chance.integers(0, 10, (2, 9))), ("others", others), ("lengths", np.array([9, 4]))):
    np.save(f"{sys.argv[1]}/{name}.npy", array.astype(np.int32))
np.save(f"{sys.argv[1]}/x.npy", chance.standard_normal((2, 7, 32)).astype(np.float32))
