#!/usr/bin/env python3
"""Measures reports in headless Chromium: their size, the time until they can be used, and the pictures a second of their player, flat
and as turning cubes.

Usage: speed.py REPORT.html …   (fails if the first page has more than 3 MB; times are only printed)
Needs chromium and chromedriver; without them only the size is looked at. Standard library only.
"""

import pathlib
import sys

from browser import Browser, programs

MOST_BYTES = 3_000_000
FRAMES = """
const done = arguments[1], play = document.getElementById("play");
if (!play) done(null);
else {
  play.scrollIntoView();
  if (arguments[0]) document.querySelector("#views button[value=cube]")?.click();
  if (play.getAttribute("aria-pressed") === "false") play.click();
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


def measure(browser, report):
    times = []
    for _ in range(3):
        browser.open(report)
        times.append(browser.run("return performance.getEntriesByType('navigation')[0].domInteractive"))
    print(f"{report}: {report.stat().st_size / 1e6:.1f} MB, interactive after {min(times):.0f} to {max(times):.0f} ms")
    kinds = ["flat", "as turning cubes"] if browser.run("return !!document.getElementById('views')") else ["flat"]
    for kind in kinds:
        frames = browser.call("POST", "/execute/async", {"script": FRAMES, "args": [kind != "flat"]})
        print("  no player" if frames is None else f"  the player shows {frames:.0f} pictures a second, {kind}")


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    reports = [pathlib.Path(name) for name in sys.argv[1:]]
    size = reports[0].stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"failed: {reports[0]} has {size / 1e6:.1f} MB, expected at most {MOST_BYTES / 1e6:.1f}")
    print(f"ok: the page has {size / 1e6:.1f} MB")
    found = programs()
    if found is None:
        print("skipped: chromium and chromedriver are not installed")
        return
    browser = Browser(*found)
    try:
        browser.size(1400, 1000)
        for report in reports:
            measure(browser, report)
    finally:
        browser.close()


main()
