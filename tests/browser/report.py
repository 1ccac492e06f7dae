#!/usr/bin/env python3
"""Opens a report in headless Chromium, as readers would: it fits desktop and phone, sorts and highlights by the keyboard, has
no finding of axe-core in light and dark, and its player moves.

Usage: report.py REPORT.html FOLDER   (screenshots and the printed page go to FOLDER)
Needs chromium and chromedriver, and npm for axe-core; says what it skips without them. Otherwise the standard library only.
"""

import pathlib
import shutil
import subprocess
import sys
import time

from browser import Browser, programs

# The release that the findings are of.
AXE = "axe-core@4.14.1"
SIZES = ((1280, 900), (390, 844))
SCHEMES = ("light", "dark")


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def axe(folder):
    """Returns the source of axe-core, or None if npm is missing or cannot get it."""
    source = folder / "node_modules/axe-core/axe.min.js"
    if not source.exists() and shutil.which("npm"):
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), AXE], check=False)
    return source.read_text() if source.exists() else None


def fits(browser, report, folder, source):
    """On desktop and phone, in light and dark: nothing is wider than the page, and axe-core finds nothing."""
    for width, height in SIZES:
        for scheme in SCHEMES:
            browser.size(width, height)
            browser.prefer(scheme)
            browser.open(report)
            time.sleep(0.3)
            browser.whole(folder / f"report-{width}-{scheme}.png")
            where = f"at {width} px in {scheme}"
            wide = browser.run("return document.documentElement.scrollWidth")
            check(wide <= width, f"the page does not scroll sideways {where}: {wide}")
            errors = browser.errors()
            check(not errors, f"no error on the console {where} {errors or ''}")
            if source is None:
                print("skipped: axe-core, which npm would bring")
                continue
            browser.run(source + "; window.axe = window.axe || axe;")
            ask = "const done = arguments[0]; axe.run().then((found) => done(found.violations.map((v) => [v.impact, v.id, v.nodes.map((n) => n.html.slice(0, 120))])));"
            found = browser.call("POST", "/execute/async", {"script": ask, "args": []})
            check(not found, f"axe-core finds nothing {where} {found or ''}")


def reads(browser, report, folder):
    """The answer, the table and the meanings of its columns, by the keyboard."""
    browser.size(1280, 900)
    browser.prefer("light")
    browser.open(report)
    check(browser.run("return document.querySelector('main section').getAttribute('aria-labelledby')") == "answer", "the page opens with the answer")
    check(browser.run("return document.querySelectorAll('table.sortable tbody tr').length") > 1, "the table has rows")
    levels = browser.run("return [...document.querySelectorAll('h1, h2, h3')].map((head) => Number(head.tagName[1]))")
    check(levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), "headings are in order")

    # The pairwise sum has a column wherever allocators differ.
    head = "[...document.querySelectorAll('table.sortable')[0].tHead.rows[0].cells].findIndex((cell) => cell.textContent.startsWith('pairwise sum'))"
    column = browser.run(f"return {head}")
    check(column > 0, "the table has the pairwise sum")
    rows = "[...document.querySelectorAll('table.sortable')[0].tBodies[0].rows]"
    values = f"{rows}.map((row) => Number(row.cells[{column}].dataset.value))"
    button = f"document.querySelectorAll('table.sortable')[0].tHead.rows[0].cells[{column}].querySelector('button')"
    browser.run(f"{button}.focus()")
    tip = browser.run("const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.textContent")
    check("distance" in tip, f"the focus shows what the column means: {tip}")
    browser.press("Escape", 27)
    check(browser.run("return document.getElementById('tip').hidden"), "Escape hides it")
    sorts = []
    for _ in range(2):
        browser.press("Enter", 13, "\r")
        sorts.append((browser.run(f"return {button}.closest('th').getAttribute('aria-sort')"), browser.run(f"return {values}")))
    (up, rising), (down, falling) = sorts
    check((up, down) == ("ascending", "descending"), "aria-sort says how the table is sorted")
    check(rising == sorted(rising) and falling == rising[::-1] and rising[0] != rising[-1], "Enter sorts both ways")
    best = browser.run(f"return {rows}.filter((row) => row.cells[{column}].textContent.includes('(best)')).map((row) => Number(row.cells[{column}].dataset.value))")
    check(bool(best), f"the best pairwise sum is marked: {best}")

    browser.print(folder / "report.pdf")
    pages = (folder / "report.pdf").read_bytes()
    check(pages.startswith(b"%PDF") and b"/MediaBox [0 0 594" in pages.replace(b"[0 0 595", b"[0 0 594"), "it prints on A4")


def highlights(browser, report):
    """Rows choose what the figures highlight, by the keyboard and by the pointer, eight at most."""
    browser.open(report)
    pressed = "[...document.querySelectorAll('.choice[aria-pressed=true]')].map((choice) => choice.dataset.look)"
    named = "[...document.querySelectorAll('.names.above button')].length"
    first = browser.run(f"return {pressed}")
    check(2 <= len(first) <= 8 and browser.run(f"return {named}") == len(first), f"the legend names what is highlighted: {len(first)}")
    if not browser.run("return !!document.querySelector('.choice[aria-pressed=false]')"):
        return
    look = browser.run("const choice = document.querySelector('.choice[aria-pressed=false]'); choice.focus(); return choice.dataset.look")
    lit = f"return document.querySelectorAll('.plots .{look}.on').length"
    check(browser.run(lit) == 0, "what is not chosen is grey")
    browser.press("Enter", 13, "\r")
    now = browser.run(f"return {pressed}")
    check(look in now and len(now) <= 8 and browser.run(lit) > 1, "Enter colours it in every figure")
    browser.run("document.querySelector('.names.above button').click()")
    check(browser.run(f"return {named}") == len(now) - 1, "a press in the legend turns it grey")
    browser.run(f"document.querySelector('.choice[data-look={look}]').closest('tr').cells[1].click()")
    check(look not in browser.run(f"return {pressed}"), "a click on its row does so, too")
    wide = "return document.querySelector('table.sortable').tHead.rows[0].getBoundingClientRect().width"
    before = browser.run(wide)
    browser.run("document.querySelector('.tools .columns')?.click()")
    check(browser.run(wide) >= before, "a button shows all columns")


def phone(browser, report):
    """The names of the rows stay in sight while the table scrolls."""
    browser.size(390, 844)
    browser.open(report)
    time.sleep(0.3)
    wide = browser.run("const scroll = document.querySelector('.scroll'); return [scroll.scrollWidth, scroll.clientWidth]")
    if wide[0] > wide[1]:
        line = browser.run("return document.querySelector('.more').textContent")
        check("to the right" in line, f"a line says that the table goes on: {line}")
        left = "document.querySelector('table.sortable tbody tr th').getBoundingClientRect().left"
        before = browser.run(f"return {left}")
        browser.run("document.querySelector('.scroll').scrollLeft = 200")
        moved = browser.run("return document.querySelector('.scroll').scrollLeft")
        check(moved > 0 and browser.run(f"return {left}") == before, "the first column stays")
    name = browser.run("return document.querySelector('table.sortable tbody tr th').getBoundingClientRect().width")
    check(name >= 80, f"the first column has room for names: {name:.0f} px")
    letter = "const range = document.createRange(); range.selectNodeContents(name); const lines = range.getClientRects().length;"
    broken = browser.run(f"return [...document.querySelectorAll('tbody th:not(.long) .choice span')].filter((name) => {{ {letter} return lines > 1; }}).length")
    check(broken == 0, f"no name is broken: {broken}")
    letters = browser.run("const text = document.querySelector('.plots svg text'); return text.getBoundingClientRect().height")
    check(letters >= 9, f"letters of figures are {letters:.0f} px high")


def look(browser, report, folder):
    source = axe(folder)
    fits(browser, report, folder, source)
    reads(browser, report, folder)
    highlights(browser, report)
    phone(browser, report)
    browser.size(1400, 1000)
    browser.prefer("light")
    browser.open(report)
    check(browser.run("return !!document.querySelector('#frontier svg .marker')"), "the frontier plot has points")
    plays(browser, folder)
    errors = browser.errors()
    check(not errors, f"still no error {errors or ''}")


def plays(browser, folder):
    """The player moves, is scrubbed, and tells of jobs."""
    if not browser.run("return !!document.getElementById('schedule')"):
        print("skipped: the report has no schedule, so no player")
        return
    pixels = "[...document.querySelectorAll('.meshes canvas')].map(canvas => canvas.toDataURL())"
    before = browser.run(f"return {pixels}")
    begin = browser.run("return Number(document.getElementById('time').value)")
    loads = browser.run("return [...document.querySelectorAll('.meshes .load')].map((load) => parseInt(load.textContent.replace(/,/g, '').match(/\d+/)?.[0]))")
    fills = browser.run("return [...document.querySelectorAll('figcaption rect')].map((rect) => rect.getAttribute('fill'))")
    check(len(fills) > 1 and len(set(fills)) == len(fills), f"machines have colours of their own: {fills}")
    check(max(loads) > 0, f"it starts where jobs wait: {loads}")
    browser.run("document.getElementById('play').click()")
    time.sleep(1.5)
    browser.run("document.getElementById('play').click()")
    clock = browser.run("return Number(document.getElementById('time').value)")
    after = browser.run(f"return {pixels}")
    check(clock > begin, "the clock runs while it plays")
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
    browser.run("document.querySelector('#shown input')?.click()")
    check(browser.run("return document.querySelectorAll('.meshes figure[hidden]').length") == 1, "an allocator can be left out")
    reach = "return document.getElementById('reach').textContent"
    whole = browser.run(reach)
    browser.run("document.getElementById('zoom').click()")
    check(browser.run(reach) != whole, "the range can be narrowed")
    browser.run("document.getElementById('congestion').click(); document.getElementById('whole').click()")
    check(browser.run(reach) == whole, "and be whole again")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    report, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = programs()
    if found is None:
        print("skipped: chromium and chromedriver are not installed")
        return
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(*found)
    try:
        look(browser, report, folder)
    finally:
        browser.close()


main()
