# RUN: %python %s
"""Pictures for an executable that takes them (labels(pixels: f32[batch, 1, 2, 2])): cut, broken, or of another size than they claim."""
import struct
import zlib

from hostile import Case, fifo, folder, npy, run, sparse


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width=2, height=2, rows=b"\0\1\2\0\3\4", more=b""):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wrong_bit(picture, at):
    return picture[:at] + bytes([picture[at] ^ 1]) + picture[at + 1:]


def picture(name, content, says, **more):
    return Case(name, "heddle: error: " + says, {"p": content}, **{"run": "test-tasks --task classify p", **more})


def array(name, content, says):
    return Case(name, "heddle: error: " + says, {"p.npy": content}, "test-tasks --task classify p.npy")


CASES = [
    picture("nothing", b"", "'p' is neither PNG nor PNM (P2, P3, P5, P6) nor NumPy's .npy: convert the picture to PNG"),
    picture("another format", b"\xff\xd8\xff\xe0JFIF", "'p' is neither PNG nor PNM"),
    picture("a PNG cut in its header", png()[:20], "'p' is cut short"),
    picture("a PNG cut in its pixels", png()[:46], "'p' is cut short"),
    picture("a PNG without its end", png()[:-12], "'p' is cut short"),
    picture("a PNG with a wrong bit", wrong_bit(png(), len(png()) - 13), "'p' is a broken PNG file: IDAT: CRC error"),
    picture("a PNG through a conversion of line ends", png().replace(b"\r\n", b"\n", 1), "'p' is a broken PNG file: "),
    picture("a PNG of too few pixels", png(rows=b"\0\1"), "'p' is a broken PNG file: "),
    picture("a PNG of 2^62 pixels", png(2**31 - 1, 2**31 - 1), "'p': expected a picture of 1 to 100000000 pixels, got width 2147483647, height 2147483647"),
    picture("a PNG of more pixels than it can hold", png(10_000, 10_000), "'p': its header asks for at least 100000000 bytes of values, a PNG file of"),
    picture("a PNG of another size", png(3, 2, b"\0" * 8), "'p': expected a picture of width 2, height 2, got width 3, height 2: resize it first"),
    picture("a PGM cut short", b"P5 2 2 255\n\0\0\0", "'p': its header asks for at least 5 bytes of values, the file has 4"),
    picture("a PGM of two pictures", b"P5 2 2 255\n\1\1\1\1P5 2 2 255\n\0\0\0\0", "'p' has 15 bytes more than its header asks for"),
    picture("a PGM of 10^20 pixels", b"P5 99999999999 999999999 255\n", "'p': expected a width of at most 2147483647, got '99999999999'"),
    picture("a PPM of a wrong value", b"P3 2 2 9 " + b"1 " * 11 + b"10", "'p': expected a value of at most 9, got '10'"),
    picture("a picture of a terabyte", sparse(1 << 40), "'p' is neither PNG nor PNM"),
    picture("a picture that is a folder", folder, "cannot read 'p': it is a folder, expected a file"),
    picture("a picture that is a FIFO", fifo, "cannot read 'p': it is a device or pipe, expected a file"),
    picture("a picture that is not there", None, "cannot open: 'p': No such file or directory"),
    picture("a name with a NUL", png(), "'p\\x00.png' is no name of a file", run="test-tasks --task classify", stdin=b"p\0.png\n"),
    picture("a name that is no UTF-8", png(), "cannot open: '\\xff': No such file or directory", run="test-tasks --task classify", stdin=b"\xff\n"),
    picture("a good picture and a bad one", png(), "cannot open: 'q': No such file or directory", run="test-tasks --task classify p q"),
    array("pixels that are no numbers", npy("<f4", [1, 2, 2], [float("nan")] * 4), "the model gives no number as a score for 'p.npy'"),
    array("pixels of another shape", npy("<f4", [2, 2], [0] * 4), "'p.npy': expected pixels f32[1, 2, 2], or a batch of such"),
    array("pixels of doubles", npy("<f8", [1, 2, 2], [0] * 4), "'p.npy': expected f32 ('<f4'), got '<f8'"),
    array("pixels cut short", npy("<f4", [1, 2, 2], [0] * 3), "'p.npy': its header asks for 16 bytes of values, the file has 12"),
    array("a picture by the name of an array", png(), "'p.npy' is no .npy file"),
]
run(CASES)
