"""same-kernels.py OBJECT OBJECT: both define the same number of kernels, and not none. An entry's own body grows with depth and may be inlined."""
import subprocess
import sys


def functions(path):
    text = subprocess.run(["readelf", "-sW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sum(" FUNC " in line and " UND " not in line and " body." not in line for line in text.splitlines())


few, many = map(functions, sys.argv[1:])
if few < 4 or few != many:
    sys.exit(f"{few} functions and {many}")
