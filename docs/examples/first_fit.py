#!/usr/bin/env python3
"""An allocator: the first free rectangle or cuboid of the job's shape, as `first-fit` takes it on meshes.

Usage: exec:python3 first_fit.py
"""

import itertools
import json
import sys

extents = []  # the numbers of nodes along x, y and z


def box(base, sides):
    """Returns the nodes of a box in rank order: x varies fastest, then y, then z."""
    ranges = [range(start, start + side) for start, side in zip(base, sides)]
    width, length = extents[0], extents[1]
    return [x + width * (y + length * z) for z, y, x in itertools.product(*reversed(ranges))]


def first_fit(sides, free):
    """Returns the nodes of the first free box with these sides; None if the job must wait."""
    if sides is None:
        return None
    sides = sides + [1] * (3 - len(sides))
    bases = [range(extent - side + 1) for extent, side in zip(extents, sides)]
    for z, y, x in itertools.product(*reversed(bases)):
        nodes = box((x, y, z), sides)
        if all(free[node] == "1" for node in nodes):
            return nodes
    return None


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        extents = (question["machine"]["extents"] + [1, 1])[:3]
        reply = {"protocol": 1, "served": "submesh"}
    elif question["message"] == "propose":
        reply = {"nodes": first_fit(question["sides"], question["free"])}
    else:
        continue  # what this program does not know does not concern it
    print(json.dumps({"id": question["id"], **reply}), flush=True)
