"""Renders every kind of Markdown table that the program prints: each is one, and no row has more or fewer cells than its titles.

Usage: markdown.py PROGRAM LOG DIRECTORY (an empty one).
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

BEST = "best-of:mm|granular-mbs"
# What Markdown takes for something else.
ODD = "odd_|*a* <b>_x_"


def cells(line):
    """The number of cells of a line of a table: bars that are not escaped part them."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def rendered(text):
    """The tables that a reader sees: rows of the texts of their cells."""
    from markdown_it import MarkdownIt

    tables = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and token.level > 3:
            plain = [child for child in token.children if child.type not in ("strong_open", "strong_close")]
            wrong = [child.type for child in plain if child.type not in ("text", "code_inline")]
            assert not wrong, f"{token.content}: {wrong}"
            tables[-1][-1].append("".join(child.content for child in plain))
    return tables


def main():
    program, log, directory = sys.argv[1:]
    directory = pathlib.Path(directory)
    shutil.copy(log, directory / f"{ODD}.swf")
    shutil.copy(log, directory / "tiny.swf")

    def run(*arguments):
        return subprocess.run(
            [program, *arguments], cwd=directory, check=True, capture_output=True, text=True
        ).stdout

    replay = ["replay", f"{ODD}.swf", "tiny.swf", "--machine", "4x4", "--no-timing", "-q", "--allocator", "naive", BEST]
    run(*replay, "-o", "out")
    texts = {
        "table": run("table", "out", "--format", "markdown"),
        "table of logs": run("table", "out", "--rows", "log,allocator", "--columns", "machine", "--format", "markdown"),
        "replay": run(*replay, "--format", "markdown"),
        "reproduce": run("reproduce", "chang-mohapatra1998", "fig1", "-q", "--format", "markdown"),
        "schema": run("schema", "--format", "markdown"),
        **{f"list {what}": run("list", what, "--markdown") for what in ("allocators", "schedulers", "networks", "orders")},
    }
    for name, text in texts.items():
        tables = rendered(text)
        lines = [line for line in text.splitlines() if line.startswith("|")]
        # The rule below the titles is no row.
        assert tables and sum(map(len, tables)) + len(tables) == len(lines), f"{name}:\n{text}"
        widths = iter(map(cells, lines))
        for table in tables:
            expected = [len(table[0])] * (len(table) + 1)
            found = [next(widths) for _ in expected]
            assert found == expected, f"{name}: {found}\n{text}"
            assert all(len(row) == len(table[0]) for row in table), f"{name}: {table}"
    for name in ("table", "table of logs", "replay"):
        seen = {cell for table in rendered(texts[name]) for row in table for cell in row}
        assert BEST in seen, f"{name}: {seen}"
        assert any(cell.startswith(ODD) for cell in seen), f"{name}: {seen}"
    print(f"markdown-it: {len(texts)} texts have tables, every row has its cells, names are whole")


if importlib.util.find_spec("markdown_it") is None:
    print("skipped: no markdown-it-py")
else:
    main()
