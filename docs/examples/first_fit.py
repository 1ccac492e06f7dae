#!/usr/bin/env python3
"""An allocator: the first free rectangle or cuboid of the job's shape, as `first-fit` takes it on meshes and tori.

Usage: exec:python3 first_fit.py
"""

import itertools
import json
import sys

extents = []  # the numbers of nodes along x, y and z
wraps = []  # whether they form a ring, so that a box may go round its end


def box(base, sides):
    """Returns the nodes of a box in rank order: x varies fastest, then y, then z."""
    places = [[(start + i) % extent for i in range(side)] for start, side, extent in zip(base, sides, extents)]
    width, length = extents[0], extents[1]
    return [x + width * (y + length * z) for z, y, x in itertools.product(*reversed(places))]


def starts(extent, side, is_ring):
    """Returns where a side may begin along a dimension."""
    if side > extent:
        return range(0)
    return range(extent if is_ring and side < extent else extent - side + 1)


def first_fit(sides, free):
    """Returns the nodes of the first free box with these sides; None if the job must wait."""
    if sides is None:
        return None
    sides = sides + [1] * (3 - len(sides))
    bases = [starts(extent, side, is_ring) for extent, side, is_ring in zip(extents, sides, wraps)]
    for z, y, x in itertools.product(*reversed(bases)):
        nodes = box((x, y, z), sides)
        if all(free[node] == "1" for node in nodes):
            return nodes
    return None


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        extents = (question["machine"]["extents"] + [1, 1])[:3]
        wraps = (question["machine"]["wraps"] + [False, False])[:3]
        reply = {"protocol": 1, "served": "submesh"}
    elif question["message"] == "propose":
        reply = {"nodes": first_fit(question["sides"], question["free"])}
    else:
        continue  # what this program does not know does not concern it
    print(json.dumps({"id": question["id"], **reply}), flush=True)
