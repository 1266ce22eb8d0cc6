# RUN: %python %s
"""model.safetensors: the header is believed only as far as the size of the file bears it out."""
from hostile import Case, raw_safetensors, run, safetensors, sparse

FILE = "m/model.safetensors"
NUMBERS = [1, 2, 3, 4, 5, 6]


def weights(name, content, says, files=None, **more):
    return Case(name, says, {FILE: content, **(files or {})}, **more)


def words(name, says, kind="F32", shape=(3, 2), offsets=(0, 24), rest=b""):
    """The one tensor of the model, with something wrong about it."""
    return weights(name, safetensors({"words": (kind, shape, NUMBERS, offsets)}, rest), says)


CASES = [
    weights("nothing", b"", "m/model.safetensors: error: no safetensors file: 0 bytes, a header needs 8"),
    weights("seven bytes", b"\0" * 7, "m/model.safetensors: error: no safetensors file: 7 bytes, a header needs 8"),
    weights("an empty header", b"\0" * 8, "m/model.safetensors:1:1: error: not valid JSON"),
    weights("a header longer than the file", raw_safetensors("{}", length=1 << 60),
            "m/model.safetensors: error: no safetensors file, or cut short: the header's length is said to be 1152921504606846976 bytes, the file has 10"),
    weights("a length beyond all", raw_safetensors("{}", length=(1 << 64) - 1), "the header's length is said to be 18446744073709551615 bytes"),
    weights("a header of 200 megabytes", lambda path: (sparse(300_000_000)(path), path.open("r+b").write((200_000_000).to_bytes(8, "little"))),
            "m/model.safetensors: error: the header's length is 200000000 bytes, at most 100000000 are read"),
    weights("a header that is no object", raw_safetensors("[]"), "m/model.safetensors: error: header: expected an object, got a list"),
    weights("a header of a million levels", raw_safetensors('{"a":' * 1_000_000), "m/model.safetensors:1:321: error: nested deeper than 64 levels"),
    weights("a header that is no UTF-8", raw_safetensors(b'{"\xff": 0}'), "m/model.safetensors:1:3: error: not valid UTF-8"),
    weights("metadata that are no strings", raw_safetensors('{"__metadata__": {"x": 1}}'), "m/model.safetensors: error: header: '__metadata__' is no object of strings"),
    weights("a tensor twice", raw_safetensors('{"words": 1, "words": 2}'), "m/model.safetensors:1:14: error: key 'words' stands twice"),
    weights("a tensor that is a number", raw_safetensors('{"words": 1}'), "m/model.safetensors: error: tensor 'words': no 'dtype'"),
    words("a type that nobody knows", "tensor 'words': unknown dtype \"F33\"", kind="F33"),
    words("integers", "tensor 'words': expected elements of F32, F16 or BF16, got I32", kind="I32"),
    words("a negative extent", "tensor 'words': shape: expected whole numbers of at least 0, got -3", shape=[-3, -2]),
    words("a broken extent", "tensor 'words': shape: expected whole numbers of at least 0, got 3.0", shape=[3.0, 2]),
    words("a shape whose product wraps to 0", "tensor 'words': shape [4294967296, 4294967296] of F32: the number of bytes passes 2^63", shape=[2**32, 2**32]),
    words("a shape whose product wraps to 4", "the number of bytes passes 2^63", shape=[4194305, 4194305, 211106198978564]),
    words("offsets that are none", "tensor 'words': data_offsets: expected two whole numbers of at least 0", offsets=[]),
    words("one offset", "tensor 'words': data_offsets: expected two whole numbers of at least 0", offsets=[0]),
    words("three offsets", "tensor 'words': data_offsets: expected two whole numbers of at least 0", offsets=[0, 4, 24]),
    words("a negative offset", "tensor 'words': data_offsets: expected two whole numbers of at least 0", offsets=[-24, 0]),
    words("offsets as strings", "tensor 'words': data_offsets: expected two whole numbers of at least 0", offsets=["0", "24"]),
    words("an end before the beginning", "tensor 'words': data_offsets [24, 0]: the end lies before the beginning", offsets=[24, 0]),
    words("offsets beyond the file", "tensor 'words': data_offsets [0, 4000000]: the file has 24 bytes of data", shape=[1000, 1000], offsets=[0, 4_000_000]),
    words("fewer bytes than the shape", "tensor 'words': shape [1000, 1000] of F32 has 4000000 bytes, data_offsets [0, 4] has 4", shape=[1000, 1000], offsets=[0, 4]),
    words("bytes behind the last tensor", "m/model.safetensors: error: 5 bytes after the last tensor belong to none", rest=b"extra"),
    words("a hole at the beginning", "tensor 'words': 4 bytes before it belong to no tensor", offsets=[4, 28], rest=b"more"),
    weights("a file cut short", safetensors({"words": ("F32", [3, 2], NUMBERS)})[:-4], "tensor 'words': data_offsets [0, 24]: the file has 20 bytes of data"),
    weights("two tensors on one place", safetensors({"a": ("F32", [6], NUMBERS), "words": ("F32", [3, 2], [], [8, 24])}),
            "m/model.safetensors: error: tensor 'words': shape [3, 2] of F32 has 24 bytes, data_offsets [8, 24] has 16"),
    weights("tensors that overlap", safetensors({"a": ("F32", [6], NUMBERS), "words": ("F32", [3, 2], [7, 8], [8, 32])}),
            "m/model.safetensors: error: tensor 'words': overlaps 'a' by 16 bytes"),
    weights("another tensor", safetensors({"wrods": ("F32", [3, 2], NUMBERS)}),
            ["m/model.heddle:8:13: error: tensor 'words' is missing: it is not in 'model.safetensors'", "note: did you mean 'wrods'?"]),
    weights("100,000 other tensors", safetensors({f"words.{i}": ("F32", [0], []) for i in range(100_000)}), "error: tensor 'words' is missing"),
    weights("a name with escape sequences", safetensors({"\x1b]0;words\x07": ("F32", [2], NUMBERS[:2], [4, 8])}), "tensor '\\u{1b}]0;words\\u{7}'"),
    Case("no weights at all", ["m: error: no weights: there is no 'model.safetensors' and no 'model.safetensors.index.json'", "note: give --weights DIR, or --weights seed:N"], {FILE: None}, "heddle build m -o out"),
    Case("a seed that is no number", "expected 'seed:' and a whole number below 2^64, got 'seed:x'", run="heddle build m --weights seed:x -o out"),
    Case("a seed beyond 64 bits", "got 'seed:18446744073709551616'", run="heddle build m --weights seed:18446744073709551616 -o out"),
    Case("weights that are a file", "error:", run="heddle build m --weights m/model.safetensors -o out"),
]
run(CASES)
