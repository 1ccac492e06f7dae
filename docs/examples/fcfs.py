#!/usr/bin/env python3
"""A scheduler: first come, first served, as `fcfs`. Usage: --scheduler 'exec:python3 fcfs.py'"""

import json
import sys

for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        reply = {"protocol": 1}
    elif question["message"] == "dispatch":
        start, free = [], question["free"]
        # A job that the allocator has refused is the oldest one, and nobody overtakes it.
        for job in question["queue"] if not question["refused"] else []:
            if job["nodes"] > free:
                break
            start.append(job["job"])
            free -= job["nodes"]
        reply = {"start": start}
    else:
        continue
    print(json.dumps({"id": question["id"], **reply}), flush=True)
