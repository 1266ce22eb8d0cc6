"""inner-loops.py ASSEMBLY LEAST MOST: every innermost loop with LEAST fused multiply-adds or more takes at most MOST instructions in all.

Speed is no test, but this is what lost it before: addresses written out again for every load of a loop, and accumulators on the stack."""
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
    path, least, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(path, encoding="utf-8") as text:
        loops = [(label, body) for label, body in innermost_loops(text) if sum("fmadd" in one for one in body) >= least]
    if not loops:
        sys.exit("no loop with that many multiply-adds: is this the right file?")
    for label, body in loops:
        spills = [one for one in body if re.search(r"[xyz]mm\d+.*\(%rsp\)|\(%rsp\).*[xyz]mm\d+", one)]
        if len(body) > most or spills:
            sys.exit(f"{label}: {len(body)} instructions, at most {most}; vectors on the stack: {spills[:3]}\n" + "\n".join(body))


if __name__ == "__main__":
    main()
