#!/usr/bin/env python3
"""Opens a report in headless Chromium, as a reader would: no error on the console, tables sort, the player moves.

Usage: report.py REPORT.html FOLDER   (screenshots go to FOLDER)
Needs chromium and chromedriver; without them it prints `skipped: ...` and succeeds. Standard library only.
"""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """A session of the WebDriver protocol."""

    def __init__(self, chromium, driver):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        options = {
            "binary": chromium,
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--window-size=1400,1000",
                f"--user-data-dir={self.profile.name}",
            ],
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        for attempt in range(100):
            try:
                session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except urllib.error.URLError:
                if attempt == 99:
                    raise
                time.sleep(0.2)
        self.base += f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        except urllib.error.URLError:
            pass
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def look(browser, report, folder):
    browser.call("POST", "/url", {"url": report.resolve().as_uri()})
    browser.screenshot(folder / "light.png")
    errors = [entry for entry in browser.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
    check(not errors, f"no error on the console {errors or ''}")
    check(browser.run("return document.querySelectorAll('table.sortable tbody tr').length") > 1, "the table has rows")
    check(browser.run("return !!document.querySelector('#frontier svg .marker')"), "the frontier plot has points")

    column = "[...document.querySelectorAll('table.sortable')[0].tBodies[0].rows].map(row => Number(row.cells[2].dataset.value ?? row.cells[2].textContent))"
    head = "document.querySelectorAll('table.sortable thead th')[5].querySelector('button')"
    column = column.replace("cells[2]", "cells[5]")
    browser.run(f"{head}.click()")
    up = browser.run(f"return {column}")
    browser.run(f"{head}.click()")
    down = browser.run(f"return {column}")
    check(up == sorted(up) and down == sorted(up, reverse=True) and up[0] != up[-1], "the table sorts both ways")

    if not browser.run("return !!document.getElementById('schedule')"):
        print("skipped: the report has no schedule, so no player")
        return
    pixels = "[...document.querySelectorAll('.meshes canvas')].map(canvas => canvas.toDataURL())"
    before = browser.run(f"return {pixels}")
    browser.run("document.getElementById('play').click()")
    time.sleep(1.5)
    browser.run("document.getElementById('play').click()")
    clock = browser.run("return Number(document.getElementById('time').value)")
    after = browser.run(f"return {pixels}")
    check(clock > browser.run("return Number(document.getElementById('time').min)"), "the clock runs while it plays")
    check(all(a != b for a, b in zip(before, after)), "every mesh changes")
    middle = "const s = document.getElementById('time'); s.value = (Number(s.min) + Number(s.max)) / 2; s.dispatchEvent(new Event('input'));"
    browser.run(middle)
    scrubbed = browser.run(f"return {pixels}")
    check(scrubbed != after, "the slider scrubs")
    browser.run("window.scrollTo(0, document.querySelector('.meshes').offsetTop - 120)")
    browser.screenshot(folder / "player.png")

    # A key moves the cursor over a mesh until it meets a job.
    browser.run("document.querySelector('.meshes canvas').focus()")
    key = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true, cancelable: true}))"
    facts = ""
    for step in range(60):
        browser.run(key % ("ArrowRight" if step % 2 else "ArrowDown"))
        facts = browser.run("return document.getElementById('facts').textContent")
        if facts.startswith("job "):
            break
    check(facts.startswith("job "), f"a job's facts are told: {facts}")
    browser.run("document.getElementById('theme').click()")
    dark = browser.run("return getComputedStyle(document.body).backgroundColor")
    check(dark == "rgb(20, 24, 28)", f"the page gets dark: {dark}")
    browser.run("window.scrollTo(0, 0)")
    browser.screenshot(folder / "dark.png")
    browser.run("window.scrollTo(0, document.querySelector('.plots').offsetTop - 60)")
    browser.screenshot(folder / "plots-dark.png")
    errors = [entry for entry in browser.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
    check(not errors, f"still no error {errors or ''}")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    report, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: chromium and chromedriver are not installed")
        return
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(chromium, driver)
    try:
        look(browser, report, folder)
    finally:
        browser.close()


main()
