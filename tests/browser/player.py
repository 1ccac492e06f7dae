#!/usr/bin/env python3
"""Holds what the player of reports computes against what the program says: pairwise sums, links, free boxes, blocks and shells.

Usage: player.py PROGRAM FOLDER   (results, reports and screenshots go to FOLDER)
Needs chromium and chromedriver; says that it is skipped without them. Standard library only.
"""

import csv
import pathlib
import subprocess
import sys
import time

from browser import Browser, programs

HERE = pathlib.Path(__file__).parent
# Machines with rings and without, of all dimensions: how they are replayed, and which allocators.
REPLAYS = {
    "mesh": ("16x16", ["mc1x1", "mbs", "gabl", "random"]),
    "torus": ("torus:16x16", ["mc1x1", "hilbert+bf", "random"]),
    "cube": ("8x8x4:wrap=xz", ["mc1x1", "octet-mbs", "random"]),
    "row": ("256", ["naive", "random"]),
}
JOBS = 400
# The same page is looked at on desktop and phone, in light and dark.
SIZES = ((1280, 900), (390, 844))


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def replayed(program, folder, name):
    """Replays jobs of a model and returns the report, the rows of the jobs and those of the fragmentation, by replay."""
    machine, allocators = REPLAYS[name]
    out = folder / name
    command = [program, "replay", f"synthetic:jobs={JOBS},rate=0.4", "--machine", machine, "--allocator", *allocators, "--contention",
               "--fragmentation", "2x2", "--placements", "--format", "csv", "-o", out, "--force", "--quiet", "--no-timing"]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "report", out, "--show", *allocators], check=True, stdout=subprocess.DEVNULL)
    return out / "report.html", by_replay(out / "jobs.csv", len(allocators)), by_replay(out / "fragmentation.csv", len(allocators))


def by_replay(path, count):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = sorted({int(row["replay"]) for row in rows})
    check(len(numbers) == count, f"{path.parent.name}: {path.name} has {count} replays")
    return [[row for row in rows if int(row["replay"]) == number] for number in numbers]


def agrees(browser, name, jobs, courses):
    """Every number of every job that the page computes from nodes is that of jobs.csv."""
    script = """
        return JSON.parse(document.getElementById('schedule').textContent).replays.map((replay) => {
          const state = states.make(replay), told = {};
          replay.jobs.forEach((job, i) => {
            const nodes = states.nodesOf(state, i);
            let own = 0;
            geometry.links(state.machine, nodes, (node, d, up, load) => { own += load * (load - 1) / 2; });
            const centre = geometry.centre(state.machine, nodes);
            told[job[0]] = [nodes.length, geometry.pairwiseSum(state.machine, nodes), geometry.pairwiseMean(state.machine, nodes), own, [centre.score, ...centre.at], [...nodes]];
          });
          return told;
        });"""
    for told, rows in zip(browser.run(script), jobs):
        check(len(told) == len(rows), f"{name}: the page has all {len(rows)} jobs")
        for row in rows:
            nodes, pairs, mean, own, centre, placed = told[row["job"]]
            expected = int(row["allocated"]), int(row["pairwise_sum"]), float(row["contention_own"])
            same = (nodes, pairs, own) == expected and abs(mean - float(row["pairwise_mean"])) < 1e-9
            if not same:
                raise SystemExit(f"failed: {name}, job {row['job']}: {told[row['job']][:4]}, expected {expected}, {row['pairwise_mean']}")
            if int(row["job"]) % 20 == 0 and centre != best_centre(name, placed):
                raise SystemExit(f"failed: {name}, job {row['job']}: centre {centre}, expected {best_centre(name, placed)}")
    print(f"ok: {name}: pairwise sums and links of all jobs are those of jobs.csv; centres are the best ones")
    script = """
        const [replay, times] = arguments;
        const state = states.make(JSON.parse(document.getElementById('schedule').textContent).replays[replay]);
        return times.map((time) => {
          states.update(state, time);
          const boxes = states.boxesOf(state), blocks = states.blocksOf(state);
          return [state.owner.filter((owner) => owner === 0).length, boxes.length > 0 ? boxes[0].nodes : 0,
            blocks.map((block) => [...block.base, ...block.sizes, block.owner]), [...state.owner]];
        });"""
    trees = browser.run("return JSON.parse(document.getElementById('schedule').textContent).replays.map((replay) => replay.blocks ?? null)")
    for replay, course in enumerate(courses):
        # The page has times in milliseconds, so that instants nearer to each other are left out.
        times = [float(row["time_s"]) for row in course]
        apart = [row for row, at, after in zip(course, times, times[1:]) if after - at > 0.003]
        some = apart[:: max(1, len(apart) // 150)]
        args = [replay, [float(row["time_s"]) + 0.001 for row in some]]
        found = browser.call("POST", "/execute/sync", {"script": script, "args": args})
        for (free, largest, blocks, owner), row in zip(found, some):
            if (free, largest) != (int(row["free"]), int(row["largest_free_submesh"])):
                raise SystemExit(f"failed: {name}, replay {replay} at {row['time_s']} s: {free}, {largest}, expected {row}")
            if trees[replay] and sorted(blocks) != sorted(whole_blocks(trees[replay], sides(name), owner)):
                raise SystemExit(f"failed: {name}, replay {replay} at {row['time_s']} s: blocks {blocks}")
    print(f"ok: {name}: the largest free boxes are those of the fragmentation; blocks are the largest whole ones")


def best_centre(name, nodes):
    """The score and the coordinates of the node with the smallest sum of L∞ distances, by trying all; the first one by x, y and z."""
    extents, machine = sides(name), REPLAYS[name][0]
    rings = [machine.startswith("torus:") or axis in machine.partition("wrap=")[2] for axis in "xyz"]
    coords = [(node % extents[0], node // extents[0] % extents[1], node // (extents[0] * extents[1])) for node in nodes]

    def hops(d, a, b):
        return min(abs(a - b), extents[d] - abs(a - b)) if rings[d] else abs(a - b)

    scores = [(sum(max(hops(d, at[d], other[d]) for d in range(3)) for other in coords), *at) for at in coords]
    return list(min(scores))


def sides(name):
    text = REPLAYS[name][0].split(":wrap")[0].removeprefix("torus:")
    return ([int(side) for side in text.split("x")] + [1, 1])[:3]


def whole_blocks(tree, extents, owner):
    """Every block of the hierarchy whose nodes have one owner, unless that holds of the block that contains it."""
    rules = {tuple(split[:3]): split[3:] for split in tree["splits"]}

    def owners(base, size):
        ranges = [range(base[d], base[d] + size[d]) for d in range(3)]
        return {owner[x + extents[0] * (y + extents[1] * z)] for x in ranges[0] for y in ranges[1] for z in ranges[2]}

    found, blocks = [], [(top[:3], top[3:], False) for top in tree["tops"]]
    while blocks:
        base, size, is_inside = blocks.pop()
        is_whole = len(owners(base, size)) == 1
        if is_whole and not is_inside:
            found.append([*base, *size, owners(base, size).pop()])
        parts = rules.get(tuple(size))
        if parts:
            steps = [range(0, size[d], parts[d]) for d in range(3)]
            blocks += [([base[0] + x, base[1] + y, base[2] + z], parts, is_inside or is_whole) for x in steps[0] for y in steps[1] for z in steps[2]]
    return found


def marks(browser, name, jobs):
    """A job that is searched for is marked in every machine with its numbers; overlays are switched by the keyboard."""
    number = jobs[0][JOBS // 2]["job"]
    ask = "document.getElementById('job').value = '%s'; document.getElementById('find').click();"
    browser.run(ask % number)
    said = "return [...document.querySelectorAll('.meshes .said')].map((line) => line.textContent)"
    lines = browser.run(said)
    running = 0
    for line, rows in zip(lines, jobs):
        row = next(row for row in rows if row["job"] == number)
        if "pairwise sum" in line:
            running += 1
            words = f"job {number}: pairwise sum {int(row['pairwise_sum']):,} hops, mean {float(row['pairwise_mean']):.3f}"
            check(line.startswith(words), f"{name}: {line}")
    check(running > 0, f"{name}: job {number} is marked in {running} of {len(lines)} machines")
    browser.run(ask % 999999)
    check("does not run in this window" in browser.run("return document.getElementById('found').textContent"), f"{name}: an unknown job is refused in words")
    has_blocks = any("mbs" in allocator for allocator in REPLAYS[name][1])
    offered = browser.run("return [...document.querySelectorAll('#overlays button')].map((button) => button.value)")
    check(offered == ["links", "shells", "boxes"] + ["blocks"] * has_blocks, f"{name}: overlays are {offered}")
    for overlay in offered[1:]:
        before = browser.run(PIXELS)
        browser.run(f"document.querySelector('#overlays button[value={overlay}]').focus()")
        browser.press(" ", 32, " ")
        state = browser.run(f"const button = document.querySelector('#overlays button[value={overlay}]'); return [button.getAttribute('aria-pressed'), document.querySelector('#meaning [data-of={overlay}]').hidden]")
        check(state == ["true", False], f"{name}: the key turns {overlay} on, and the page says what they are")
        check(browser.run(PIXELS) != before, f"{name}: {overlay} are drawn")
    print(f"ok: {name}: {browser.run(said)}")


PIXELS = "return [...document.querySelectorAll('.meshes canvas')].map((canvas) => canvas.toDataURL())"


def turns(browser, name, report):
    """Machines with layers are cubes on request, which turn by themselves, by dragging and by keys; not by themselves for readers
    who want little motion."""
    pressed = "return document.getElementById('turn').getAttribute('aria-pressed')"
    cube = "document.querySelector('#views button[value=cube]').click();"
    still = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.tools("Emulation.setEmulatedMedia", features=still)
    browser.open(report)
    flat = browser.run(PIXELS)
    browser.run(cube)
    first = browser.run(PIXELS)
    time.sleep(0.4)
    check(first != flat, f"{name}: layers become cubes")
    check((browser.run(pressed), browser.run(PIXELS)) == ("false", first), f"{name}: no cube turns where little motion is wanted")
    browser.run("document.querySelector('.meshes canvas').focus()")
    browser.press("ArrowRight", 39)
    second = browser.run(PIXELS)
    check(all(a != b for a, b in zip(first, second)), f"{name}: a key turns every cube")
    browser.run("document.querySelector('.meshes canvas').scrollIntoView()")
    box = browser.run("const box = document.querySelector('.meshes canvas').getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]")
    browser.tools("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    told = browser.run("return document.getElementById('facts').textContent")
    check(told.startswith("job "), f"{name}: a node of the cube tells its job: {told}")
    browser.tools("Input.dispatchMouseEvent", type="mousePressed", x=box[0], y=box[1], button="left", clickCount=1)
    for step in (20, 40):
        browser.tools("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + step, y=box[1] + step, button="left", buttons=1)
    browser.tools("Input.dispatchMouseEvent", type="mouseReleased", x=box[0] + 40, y=box[1] + 40, button="left", clickCount=1)
    check(browser.run(PIXELS) != second, f"{name}: dragging turns it")
    browser.prefer("light")
    browser.open(report)
    browser.run(cube)
    first = browser.run(PIXELS)
    time.sleep(0.6)
    check(browser.run(pressed) == "true" and browser.run(PIXELS) != first, f"{name}: cubes turn by themselves otherwise")
    browser.run("document.getElementById('turn').click()")
    first = browser.run(PIXELS)
    time.sleep(0.4)
    check(browser.run(PIXELS) == first, f"{name}: the button stops them")


def look(browser, name, folder):
    """Pictures of the player with all overlays."""
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            browser.size(width, height)
            browser.prefer(scheme)
            time.sleep(0.3)
            browser.run("document.getElementById('machine').scrollIntoView()")
            browser.screenshot(folder / f"{name}-{width}-{scheme}.png")
            wide = browser.run("return document.documentElement.scrollWidth")
            check(wide <= width, f"{name}: the page does not scroll sideways at {width} px: {wide}")
    browser.size(1400, 1000)
    browser.prefer("light")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    found = programs()
    if found is None:
        print("skipped: chromium and chromedriver are not installed")
        return
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(*found)
    try:
        for name in REPLAYS:
            report, jobs, courses = replayed(program, folder, name)
            browser.size(1400, 1000)
            browser.open(report)
            agrees(browser, name, jobs, courses)
            marks(browser, name, jobs)
            look(browser, name, folder)
            if sides(name)[2] > 1:
                turns(browser, name, report)
                marks(browser, name, jobs)
                look(browser, f"{name}-turned", folder)
            errors = browser.errors()
            check(not errors, f"{name}: no error on the console {errors or ''}")
    finally:
        browser.close()


main()
