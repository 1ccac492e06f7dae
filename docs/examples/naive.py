#!/usr/bin/env python3
"""An allocator: the free nodes with the lowest numbers, as `naive` takes them. Usage: exec:python3 naive.py"""

import json
import sys


def answer(question, **fields):
    print(json.dumps({"id": question["id"], **fields}), flush=True)


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        # It serves a job whenever enough nodes are free: schedulers may rely on it.
        answer(question, protocol=1, served="count")
    elif question["message"] == "propose":
        free = [node for node, digit in enumerate(question["free"]) if digit == "1"]
        answer(question, nodes=free[: question["procs"]])
