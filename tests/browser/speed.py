#!/usr/bin/env python3
"""Measures a report in headless Chromium: its size, the time until it can be used, and the pictures a second of its player.

Usage: speed.py REPORT.html   (fails if the page has more than 3 MB; times are only printed)
Needs chromium and chromedriver; without them only the size is looked at. Standard library only.
"""

import pathlib
import sys

from browser import Browser, programs

MOST_BYTES = 3_000_000
FRAMES = """
const done = arguments[0], play = document.getElementById("play");
if (!play) done(null);
else {
  play.scrollIntoView();
  play.click();
  let frames = 0;
  const begin = performance.now();
  const count = () => {
    frames++;
    if (performance.now() - begin < 3000) requestAnimationFrame(count);
    else done(frames / 3);
  };
  requestAnimationFrame(count);
}
"""


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    report = pathlib.Path(sys.argv[1])
    size = report.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"failed: {report} has {size / 1e6:.1f} MB, expected at most {MOST_BYTES / 1e6:.1f}")
    print(f"ok: the page has {size / 1e6:.1f} MB")
    found = programs()
    if found is None:
        print("skipped: chromium and chromedriver are not installed")
        return
    browser = Browser(*found)
    try:
        times = []
        for _ in range(3):
            browser.open(report)
            times.append(browser.run("return performance.getEntriesByType('navigation')[0].domInteractive"))
        print(f"interactive after {min(times):.0f} to {max(times):.0f} ms")
        frames = browser.call("POST", "/execute/async", {"script": FRAMES, "args": []})
        print("no player" if frames is None else f"the player shows {frames:.0f} pictures a second")
    finally:
        browser.close()


main()
