#!/usr/bin/env python3
"""Makes the table and the plot of docs/developers/growth.md from docs/experiments/growth.csv, which `make bench-growth` measures.

Usage: growth.py. Standard library only.
"""

import csv
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A representative of each family of allocators.
ALLOCATORS = ("curve", "mbs", "first-fit", "mc1x1", "gen-alg")
SIZES = (256, 65_536, 1_048_576)
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 480, 320, 60, 12, 100, 44
COLOURS = ("#0072b2", "#009e73", "#b15e00", "#a2347f", "#5b5b5b")


def duration(seconds):
    """Returns a duration with two digits and its unit."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.995:
            return f"{seconds * factor:.2g} {unit}" if seconds * factor < 99.5 else f"{seconds * factor:.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def plot(times):
    """Returns times by nodes as SVG, both axes logarithmic."""
    nodes = sorted({nodes for _, nodes in times})
    low, high = -8, 0
    x = lambda n: LEFT + (WIDTH - LEFT - RIGHT) * math.log(n / nodes[0]) / math.log(nodes[-1] / nodes[0])
    y = lambda s: TOP + (HEIGHT - TOP - BOTTOM) * (high - math.log10(s)) / (high - low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for power in range(low, high + 1, 2):
        out.append(f'<path d="M{LEFT} {y(10**power):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{duration(10.0**power)}</text>')
    for n in nodes:
        out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{n:,}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">nodes of a 2D mesh</text>')
    for name, colour in zip(ALLOCATORS, COLOURS):
        points = [(x(n), y(times[name, n])) for n in nodes if (name, n) in times]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                   f'<text x="{points[-1][0] + 6:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    with open(ROOT / "docs/experiments/growth.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["machines"] == "2D meshes" and row["procs"] == "64"]
    times = {(row["name"], int(row["nodes"])): float(row["median_s"]) for row in rows if row["name"] in ALLOCATORS}
    lines = ["| allocator | " + " | ".join(f"{size:,} nodes" for size in SIZES) + " |", "| --- |" + " ---: |" * len(SIZES)]
    for name in ALLOCATORS:
        lines.append(f"| {name} | " + " | ".join(duration(times[name, size]) for size in SIZES) + " |")
    page = ROOT / "docs/developers/growth.md"
    before, rest = page.read_text(encoding="utf-8").split("<!-- table -->\n")
    after = rest.split("<!-- end -->")[1]
    page.write_text(before + "<!-- table -->\n" + "\n".join(lines) + "\n<!-- end -->" + after, encoding="utf-8")
    (ROOT / "docs/developers/growth.svg").write_text(plot(times), encoding="utf-8")


if __name__ == "__main__":
    main()
