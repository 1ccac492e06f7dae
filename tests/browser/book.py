#!/usr/bin/env python3
"""Opens every page of the book in headless Chromium, on a desktop and on a phone: each has the headings, tables and pictures of its
Markdown, nothing is missing or wider than the page, and every link within the book leads somewhere.

Usage: book.py BOOK SOURCE FOLDER   (the built book, docs/src, and where screenshots go)
Needs chromium and chromedriver; says that it is skipped without them. Otherwise the standard library only.
"""

import pathlib
import re
import sys
from urllib.parse import unquote, urldefrag

from browser import Browser, programs

SIZES = ((1280, 900), (390, 844))
# What a page shows, as its Markdown has it.
SHOWN = """
const main = document.querySelector('main');
const all = (what) => [...main.querySelectorAll(what)];
const hidden = all('img').filter((image) => !image.complete || image.naturalWidth === 0).map((image) => image.getAttribute('src'));
return {
    headings: all('h1, h2, h3, h4').map((head) => head.textContent.trim()),
    tables: all('table').length,
    pictures: new Set(all('img').map((image) => image.getAttribute('src'))).size,
    hidden,
    links: all('a[href]').map((link) => link.getAttribute('href')),
    ids: [...document.querySelectorAll('[id]')].map((one) => one.id),
    wide: document.documentElement.scrollWidth,
};
"""


def written(path):
    """Returns how many headings, tables and pictures a page of Markdown has."""
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return {
        "headings": len(re.findall(r"^#{1,4} ", text, re.MULTILINE)),
        "tables": len(re.findall(r"^\|(?: *:?-+:? *\|)+ *$", text, re.MULTILINE)),
        "pictures": len(set(re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text) + re.findall(r"<img [^>]*src=\"([^\"]+)\"", text))),
    }


def pages(source):
    """Returns the pages that the summary of the book lists."""
    listed = re.findall(r"\]\(([^)#]+\.md)\)", (source / "SUMMARY.md").read_text())
    return [source / name for name in dict.fromkeys(listed)]


def built(book, source, page):
    """Returns the file of the book that is made of a page."""
    return book / page.relative_to(source).with_suffix(".html")


def main():
    book, source, folder = (pathlib.Path(path) for path in sys.argv[1:4])
    found = programs()
    if not found:
        print("skipped: the book in a browser needs chromium and chromedriver")
        return
    folder.mkdir(parents=True, exist_ok=True)
    browser, wrong, shown = Browser(*found), [], {}
    try:
        for width, height in SIZES:
            browser.size(width, height)
            for page in pages(source):
                file = built(book, source, page)
                browser.open(file)
                shows = shown[file.resolve()] = browser.run(SHOWN)
                name = f"{page.relative_to(source)} at {width} px"
                has = {"headings": len(shows["headings"]), "tables": shows["tables"], "pictures": shows["pictures"]}
                if has != written(page):
                    wrong.append(f"{name}: shows {has}, and its Markdown has {written(page)}")
                if shows["hidden"]:
                    wrong.append(f"{name}: pictures are missing: {shows['hidden']}")
                if shows["wide"] > width:
                    wrong.append(f"{name}: is {shows['wide']} px wide")
                wrong += [f"{name}: {error['message']}" for error in browser.errors()]
                if page.name in ("README.md", "first-steps.md", "pictures.md") and page.parent == source:
                    browser.screenshot(folder / f"{page.stem}-{width}.png")
    finally:
        browser.close()
    links = 0
    for file, shows in shown.items():
        for link in shows["links"]:
            if re.match(r"[a-z]+:", link):
                continue
            target, anchor = urldefrag(unquote(link))
            to = (file.parent / target).resolve() if target else file
            links += 1
            if not to.exists():
                wrong.append(f"{file.name}: the link {link} leads nowhere")
            elif anchor and to in shown and anchor not in shown[to]["ids"]:
                wrong.append(f"{file.name}: the link {link} leads to no heading")
    front = shown[(book / "README.html").resolve()]
    if front["pictures"] != 1:
        wrong.append("the front page has not one picture")
    if wrong:
        raise SystemExit("failed:\n" + "\n".join(wrong))
    print(f"ok: {len(shown)} pages at {len(SIZES)} widths, {links} links within the book")


if __name__ == "__main__":
    main()
