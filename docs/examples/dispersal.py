#!/usr/bin/env python3
"""An execution model: a job runs longer the farther its nodes lie apart.

Its run time is the recorded one × (1 + A × d), where d is the mean distance of its pairs of nodes in hops, divided by the
largest distance of two nodes of the machine. Usage: --network 'exec:python3 dispersal.py 0.5', where A is 0.5.
"""

import json
import sys

factor = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
sizes, wraps = [], []


def along(positions, size, ring):
    """Returns the sum of the distances of all pairs in one dimension; O(size²), however many nodes there are."""
    count = [positions.count(position) for position in range(size)]
    hops = lambda gap: min(gap, size - gap) if ring else gap
    return sum(count[a] * count[b] * hops(b - a) for a in range(size) for b in range(a + 1, size))


def spread(nodes):
    """Returns the mean distance of the pairs of nodes by the largest distance of the machine, from 0 to 1."""
    total, largest, stride = 0, 0, 1
    for size, ring in zip(sizes, wraps):
        total += along([node // stride % size for node in nodes], size, ring)
        largest += size // 2 if ring else size - 1
        stride *= size
    pairs = len(nodes) * (len(nodes) - 1) / 2
    return total / pairs / largest if pairs and largest else 0.0


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        sizes, wraps = question["machine"]["extents"], question["machine"]["wraps"]
        reply = {"protocol": 1}
    elif question["message"] == "run_time":
        reply = {"run_s": question["recorded_s"] * (1 + factor * spread(question["nodes"]))}
    else:
        continue
    print(json.dumps({"id": question["id"], **reply}), flush=True)
