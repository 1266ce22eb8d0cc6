"""inner-loops.py ASSEMBLY TILE...: the innermost loops of matrix products run from registers. A TILE is `8x2`: rows x vectors of a register tile.

For each tile there is a loop with one accumulator for each row and vector; and every such loop loads each vector and each row's number once a step, has
two prefetches a step and six other instructions at most, calls nothing and keeps no vector on the stack. Speed is no test, but this is what
lost it before: addresses written out again for every load of a loop, and accumulators on the stack."""
import re
import sys


def innermost_loops(lines):
    """(label, instructions) of straight runs of code that end by jumping back to their own label."""
    label, body = None, []
    for line in lines:
        text = line.split("#")[0].strip()
        if found := re.fullmatch(r"(\.LBB\w+):", text):
            label, body = found[1], []
        elif text and not text.startswith(".") and not text.endswith(":"):
            body.append(text)
            if label and re.fullmatch(rf"j\w+\s+{re.escape(label)}", text):
                yield label, list(body)
                label = None


def main():
    path, tiles = sys.argv[1], [tuple(map(int, tile.split("x"))) for tile in sys.argv[2:]]
    with open(path, encoding="utf-8") as text:
        loops = list(innermost_loops(text))
    for rows, vectors in tiles:
        found = 0
        for label, body in loops:
            multiplies = [one for one in body if "fmadd" in one]
            if len({one.split(",")[-1].strip() for one in multiplies}) != rows * vectors:
                continue
            found += 1
            steps = len(multiplies) // (rows * vectors)
            most = steps * (rows * vectors + rows + vectors + 2) + 6
            bad = [one for one in body if re.search(r"[xyz]mm\d+.*\(%rsp\)|\(%rsp\).*[xyz]mm\d+|^call", one)]
            if len(body) > most or bad or len(multiplies) != steps * rows * vectors:
                sys.exit(f"{label}: {len(body)} instructions, at most {most} for {steps} steps of {rows} x {vectors}; calls and vectors on the stack: "
                         f"{bad[:3]}\n" + "\n".join(body))
        if not found:
            sys.exit(f"no loop with {rows} x {vectors} accumulators: is this the right file?")


if __name__ == "__main__":
    main()
