"""positions.py FOLDER tables | picture FILE: the tables of positions.test in FOLDER against the lesson's values; the stored picture against a new one."""
import base64
import re
import sys
import zlib

import numpy as np
from executable import check

# Position -> columns 0, 1, 2, 3, 510, 511 of the table of 50 rows and width 512.
LESSON = {
    0: [0, 1, 0, 1, 0, 1],
    1: [0.841470985, 0.540302306, 0.821856190, 0.569695009, 0.000103663, 0.999999995],
    2: [0.909297427, -0.416146837, 0.936414739, -0.350895194, 0.000207327, 0.999999979],
    3: [0.141120008, -0.989992497, 0.245085415, -0.969501490, 0.000310990, 0.999999952],
    49: [-0.953752653, 0.300592544, -0.144026922, -0.989573770, 0.005079480, 0.999987099],
}
PRODUCTS = [256, 249.102098, 231.733620, 211.749443, 196.688231]  # of rows so many places apart


def exact(rows, width, base=10000.0):
    column = np.arange(width)
    angle = np.arange(rows)[:, None] * base ** (-2.0 * (column // 2) / width)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def near(got, expected, bound, what):
    check(np.abs(np.asarray(got) - expected).max() <= bound, f"{what}: expected {expected}, got {got}")


def rounded(table, what):
    """Each number is the f32 next to the true one: half a unit in the last place, and what an angle of 5000 may be off in double."""
    expected = exact(*table.shape)
    bound = 0.5 * np.spacing(np.abs(expected).astype(np.float32)) + 3e-12
    check(table.dtype == np.float32 and (np.abs(table - expected) <= bound).all(), f"{what}: off by {np.abs(table - expected).max():g}, not exact to f32")


def tables(folder):
    table = np.load(f"{folder}/table.npy")[0]
    check(table.shape == (50, 512), f"shape {table.shape}")
    rounded(table, "width 512")
    for row, values in LESSON.items():
        near(table[row, [0, 1, 2, 3, 510, 511]], values, 1e-7, f"row {row}")
    wide = table.astype(float)
    near(wide[1, 256], 0.009999833, 1e-9, "row 1 [256]")
    near((wide**2).sum(axis=1), 256, 1e-4, "squares of a row")
    near(wide.sum(), 10115.775196, 1e-4, "sum")
    near([wide.max(), wide.min(), *np.unravel_index(wide.argmin(), wide.shape)], [1, -0.99999998, 7, 22], 1e-7, "largest and smallest")
    distances = np.sqrt(np.maximum(512 - 2 * wide @ wide.T, 0)) + 1e9 * np.eye(50)
    near(distances.min(), 3.714270, 1e-5, "distance of the nearest rows")
    for offset, product in enumerate(PRODUCTS):
        near(np.diagonal(wide @ wide.T, offset), product, 1e-4, f"products of rows {offset} apart")
    angle = 5 * 10000.0 ** (-2 * np.arange(256) / 512)
    sine, cosine = wide[:-5, 0::2], wide[:-5, 1::2]
    near(sine * np.cos(angle) + cosine * np.sin(angle), wide[5:, 0::2], 1e-6, "pairs turned by 5 places")
    near(np.load(f"{folder}/odd.npy")[0], [[0, 1, 0], [0.84147098, 0.54030231, 0.00215443]], 1e-8 + 6e-8, "width 3")
    rounded(np.load(f"{folder}/long.npy")[0], "5000 rows")


def pixels(path):
    """The bytes of every image of a picture: compressed ones depend on the version of zlib."""
    with open(path, encoding="utf-8") as file:
        words = file.read()
    images = [base64.b64decode(data) for data in re.findall(r"base64,([^\"]+)", words)]
    return re.sub(r"base64,[^\"]+", "", words), [zlib.decompress(image[41:-16]) for image in images]


if __name__ == "__main__":
    if sys.argv[2] == "picture":
        check(pixels(f"{sys.argv[1]}/new.svg") == pixels(sys.argv[3]), "the example's picture is not what picture.py draws")
    else:
        tables(sys.argv[1])
