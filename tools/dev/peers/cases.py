"""What bench-peers measures: models (a text, sizes, weights), and cases of them (an entry with inputs of given shapes, and the work it needs)."""
import dataclasses

MEMORY_BYTES = 256 << 20  # of weights in turn, so that none is in a cache when its turn comes again: with half of it an L3 of 32 MiB still had some


@dataclasses.dataclass
class Model:
    name: str
    family: str   # which graph peers/graphs.py writes
    text: str     # of the project's folder
    sizes: dict   # keys of the text's configuration
    replaced: tuple = ()  # a part of the text, and what stands there instead


@dataclasses.dataclass
class Case:
    workload: str
    name: str
    model: Model
    entry: str
    inputs: dict  # name -> shape; names in `ids` hold i32 below the bound given there, the others f32
    ids: dict
    flops: float  # needed ones: half of the pairs where attention is causal, real tokens only
    bytes: float = 0  # of weights that are read from memory, where that is the bound
    parts: int = 1  # equal parts of which a run consists: times are given for one
    lengths: list = None  # of the rows; peers get padding and a mask
    peers: tuple = ("ort", "openvino", "iree", "torch")
    start: bool = False  # a fresh process from start to result, instead of runs in a waiting one

    def file(self):
        """Its name, as that of a folder."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)


def products():
    for n, k in ((768, 768), (2304, 768), (3072, 768), (768, 3072), (2048, 2048), (8192, 2048), (2048, 8192)):
        for m in (32, 128, 512, 1):
            copies = -(-MEMORY_BYTES // (4 * n * k)) if m == 1 else 1
            model = Model(f"products-{n}-{k}-{copies}", "products", "tools/dev/peers/products.heddle", {"n": n, "k": k, "copies": copies})
            yield Case("products", f"{n}x{k} M={m}", model, "product", {"x": [m, k]}, {}, 2.0 * m * n * k, 4.0 * n * k if m == 1 else 0, copies,
                       peers=("onednn", "onednn-omp", "ort", "openvino", "iree", "torch"))


def attention():
    heads, width = 12, 768
    model = Model("attention", "attention", "tools/dev/peers/attention.heddle", {"width": width, "num_heads": heads})
    for length in (128, 512, 2048, 8192):
        for entry in ("full", "causal"):
            pairs = length * length if entry == "full" else length * (length + 1) / 2
            # IREE has the scores of all pairs in memory: 3.2 GB at the greatest length.
            peers = ("ort", "openvino", "iree", "torch") if length < 8192 else ("ort", "openvino", "torch")
            yield Case("attention", f"{entry} {length}", model, entry, {name: [1, length, width] for name in "qkv"}, {}, 4.0 * width * pairs, peers=peers)


def block_flops(tokens, pairs, width, inner):
    """Of one layer: four products of width x width, two with the inner width, and two with each pair of tokens."""
    return 2 * tokens * (4 * width * width + 2 * width * inner) + 4 * pairs * width


def encoder_model(name, width, layers, heads, inner):
    return Model(name, "bert", "examples/bert/bert.heddle",
                 {"vocab_size": 30522, "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner,
                  "max_position_embeddings": 512})


def encoder(workload, name, model, lengths, ragged=False, **more):
    sizes, longest = model.sizes, max(lengths)
    flops = sizes["num_hidden_layers"] * block_flops(sum(lengths), sum(one * one for one in lengths), sizes["hidden_size"], sizes["intermediate_size"])
    return Case(workload, name, model, "forward", {"tokens": [len(lengths), longest]}, {"tokens": sizes["vocab_size"]}, flops,
                lengths=list(lengths) if ragged else None, **more)


def bert():
    model = encoder_model("bert", 768, 12, 12, 3072)
    yield encoder("bert", "batch 1", model, [128])
    yield encoder("bert", "batch 8", model, [128] * 8)
    yield encoder("bert", "batch 8 of 16..128", model, [16, 32, 48, 64, 80, 96, 112, 128], ragged=True)


MINILM = encoder_model("minilm", 384, 6, 12, 1536)


def minilm():
    yield encoder("minilm", "32 tokens", MINILM, [32])


def start():
    yield encoder("start", "32 tokens", MINILM, [32], start=True, peers=("ort", "openvino", "iree"))


def vit():
    sizes = {"image_size": 224, "patch_size": 16, "num_channels": 3, "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
             "intermediate_size": 3072, "id2label": ["class"], "num_labels": 1000}
    model = Model("vit", "vit", "examples/vit/vit.heddle", sizes)
    flops = 12 * block_flops(197, 197 * 197, 768, 3072) + 2 * 196 * 768 * 768 + 2 * 768 * 1000
    yield Case("vit", "batch 1", model, "forward", {"pixels": [1, 3, 224, 224]}, {}, flops)


def gpt2():
    sizes = {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}
    last = (('-> f32[batch, sequence..., vocab_size] {', '-> f32[batch, vocab_size] {'), ('norm(x, "ln_f") @', 'norm(x, "ln_f")[sequence = last] @'))
    for name, replaced, rows in (("last", last, 1), ("all", (), 512)):
        model = Model(f"gpt2-{name}", "gpt2", "examples/gpt2/gpt2.heddle", sizes, replaced)
        flops = 12 * block_flops(512, 512 * 513 / 2, 768, 3072) + 2 * rows * 768 * 50257
        yield Case("gpt2", f"prefill 512, {name} logits", model, "forward", {"tokens": [1, 512]}, {"tokens": 50257}, flops)


WORKLOADS = {"products": products, "attention": attention, "bert": bert, "minilm": minilm, "vit": vit, "gpt2": gpt2, "start": start}


def to_dictionary(case):
    return dataclasses.asdict(case)


def from_dictionary(fields):
    return Case(**fields | {"model": Model(**fields["model"])})
