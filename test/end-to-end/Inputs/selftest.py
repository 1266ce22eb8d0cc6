"""selftest.py EXECUTABLE: copies of it with one byte of the section changed fail their self-test, each with the message for it."""
import os
import random
import stat
import struct
import subprocess
import sys
import tempfile

from executable import check


def section(data):
    """Offset and size of .heddle_weights in an ELF file."""
    offset, size, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + index * size) for index in range(count)]
    strings = headers[names][4]
    for header in headers:
        start = strings + header[0]
        if data[start : data.index(b"\0", start)] == b".heddle_weights":
            return header[4], header[5]
    raise AssertionError("no section")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    begin, size = section(data)
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "broken")
        for place in [0, size - 1, size - 9, *(chance.randrange(size) for _ in range(9))]:
            changed = bytearray(data)
            changed[begin + place] ^= 1 << chance.randrange(8)
            with open(path, "wb") as file:
                file.write(changed)
            os.chmod(path, stat.S_IRWXU)
            done = subprocess.run([path, "--selftest"], capture_output=True, check=False, text=True)
            check(done.returncode == 1 and "self-test: the weights are damaged: expected the checksum" in done.stderr, f"byte {place}: {done.stderr}")


if __name__ == "__main__":
    main()
