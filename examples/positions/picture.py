"""picture.py TABLE.npy PICTURE.svg: the table as a heat map: red is -1, white 0, blue 1; depth to the right, position upwards.

The cells are one small PNG inside the SVG (25,600 rectangles would be slow to draw); axes, numbers and the colour bar are SVG."""
import base64
import struct
import sys
import zlib

import numpy as np

LEFT, TOP, WIDTH, HEIGHT = 60, 20, 1024, 400  # two pixels a column, so that sine and cosine stay apart
RED, WHITE, BLUE = (np.array(colour, float) for colour in ((178, 24, 43), (247, 247, 247), (33, 102, 172)))


def colours(values):
    """[rows, columns] from -1 to 1 -> [rows, columns, 3] bytes."""
    share = np.abs(values)[..., None]
    return np.rint(WHITE + share * (np.where(values[..., None] < 0, RED, BLUE) - WHITE)).astype(np.uint8)


def png(pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)  # no filter
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)  # 8 bits, RGB
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def image(pixels, x, y, width, height):
    data = base64.b64encode(png(pixels)).decode()
    return f'<image x="{x}" y="{y}" width="{width}" height="{height}" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{words}</text>'


def picture(table):
    positions, depth = table.shape
    bar = LEFT + WIDTH + 30
    parts = [
        image(colours(table[::-1]), LEFT, TOP, WIDTH, HEIGHT),
        image(colours(np.linspace(1, -1, 256)[:, None]), bar, TOP, 16, HEIGHT),
        f'<path d="M{LEFT} {TOP}h{WIDTH}v{HEIGHT}h-{WIDTH}z M{bar} {TOP}h16v{HEIGHT}h-16z" fill="none" stroke="#333"/>',
        text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, "depth"),
        text(18, TOP + HEIGHT / 2, "position", more=f' transform="rotate(-90 18 {TOP + HEIGHT / 2:g})"'),
    ]
    parts += [text(LEFT + WIDTH * i / 4, TOP + HEIGHT + 20, f"{depth * i / 4:g}") for i in range(5)]
    parts += [text(LEFT - 8, TOP + HEIGHT * (1 - i / 5) + 4, f"{positions * i / 5:g}", "end") for i in range(6)]
    parts += [text(bar + 24, TOP + HEIGHT * (1 - value) / 2 + 4, f"{value:g}", "start") for value in (-1, -0.5, 0, 0.5, 1)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {bar + 70} {TOP + HEIGHT + 60}" font-family="sans-serif" font-size="13" fill="#333">'
    return "\n".join([head, f'<rect width="{bar + 70}" height="{TOP + HEIGHT + 60}" fill="#fff"/>', *parts, "</svg>", ""])


def main(table, target):
    values = np.load(table)
    with open(target, "w", encoding="utf-8") as file:
        file.write(picture(values.reshape(values.shape[-2:]).astype(float)))


if __name__ == "__main__":
    main(*sys.argv[1:])
