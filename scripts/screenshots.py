#!/usr/bin/env python3
"""Takes the pictures of a report that docs/src/figure-review.md shows: on a desktop, on a phone, and its player.

Usage: screenshots.py REPORT.html FOLDER   (`make screenshots` does it for the report of `make replay`)
Needs chromium and chromedriver. Otherwise the standard library only.
"""

import base64
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/browser"))
from browser import Browser, programs

# The name of each picture, the width and height of the page, its colours, and the element at the top of it.
SHOTS = (
    ("report", 1280, 760, "light", "header"),
    ("report-phone", 390, 844, "dark", "section:nth-of-type(2)"),
    ("player", 1280, 900, "light", "section[aria-labelledby=machine]"),
)


def main():
    report, folder = map(pathlib.Path, sys.argv[1:3])
    found = programs()
    if not found:
        raise SystemExit("screenshots need chromium and chromedriver")
    browser = Browser(*found)
    try:
        for name, width, height, scheme, element in SHOTS:
            browser.size(width, height)
            browser.prefer(scheme)
            browser.open(report)
            time.sleep(0.5)
            browser.run(f"document.querySelector('{element}').scrollIntoView()")
            time.sleep(0.5)
            shot = browser.tools("Page.captureScreenshot", format="webp", quality=70)
            (folder / f"{name}.webp").write_bytes(base64.b64decode(shot["data"]))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
