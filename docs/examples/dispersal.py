#!/usr/bin/env python3
"""An execution model: a job runs longer the farther its nodes lie apart.

Its run time is the recorded one × (1 + A × d) ÷ (1 + A × r). Here d is the mean distance of the job's pairs of nodes in hops,
divided by the largest distance of two nodes of the machine, and r is the same under a reference allocator: the placements that
the recorded run times are taken to belong to. Without r every job would run longer than recorded, and the machine would be busier
than it was. Usage, where A is 0.5:

    meshreplay replay LOG --machine 16x16 --allocator naive -o reference --format csv
    meshreplay replay LOG --machine 16x16 --network 'exec:python3 dispersal.py 0.5 reference/jobs.csv'
"""

import csv
import json
import sys

sizes, wraps = [], []
factor, reference = float(sys.argv[1]), []
if factor > 0:
    with open(sys.argv[2], newline="", encoding="utf-8") as jobs:
        reference = [float(job["pairwise_mean"]) for job in csv.DictReader(jobs) if job["replay"] == "0"]


def largest():
    """Returns the largest distance of two nodes of the machine in hops."""
    return sum(size // 2 if ring else size - 1 for size, ring in zip(sizes, wraps))


def along(positions, size, ring):
    """Returns the sum of the distances of all pairs in one dimension; O(size²), however many nodes there are."""
    count = [positions.count(position) for position in range(size)]
    hops = lambda gap: min(gap, size - gap) if ring else gap
    return sum(count[a] * count[b] * hops(b - a) for a in range(size) for b in range(a + 1, size))


def spread(nodes):
    """Returns the mean distance of the pairs of nodes by the largest distance of the machine, from 0 to 1."""
    total, stride = 0, 1
    for size, ring in zip(sizes, wraps):
        total += along([node // stride % size for node in nodes], size, ring)
        stride *= size
    pairs = len(nodes) * (len(nodes) - 1) / 2
    return total / pairs / largest() if pairs and largest() else 0.0


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        sizes, wraps = question["machine"]["extents"], question["machine"]["wraps"]
        reply = {"protocol": 1}
        if factor > 0 and question["jobs"] != len(reference):
            reply = {"error": f"{sys.argv[2]} has {len(reference)} jobs and this replay {question['jobs']}"}
    elif question["message"] == "run_time":
        before = reference[question["job"]] / largest() if factor > 0 and largest() else 0.0
        slower = (1 + factor * spread(question["nodes"])) / (1 + factor * before)
        reply = {"run_s": question["recorded_s"] * slower}
    else:
        continue
    print(json.dumps({"id": question["id"], **reply}), flush=True)
