#!/usr/bin/env python3
"""A scheduler: EASY backfilling by numbers of nodes, as `easy` with an allocator that serves by count.

Usage: --scheduler 'exec:python3 easy.py'
"""

import json
import sys


def easy(now, free, queue, running):
    """Returns the jobs to start: the oldest while they fit, and then those that do not delay the next one."""
    start, ends = [], [(max(job["end_s"], now), job["nodes"]) for job in running]
    waiting = list(queue)
    while waiting:
        head = waiting.pop(0)
        if head["nodes"] <= free:
            start.append(head["job"])
            free -= head["nodes"]
            ends.append((now + head["estimate_s"], head["nodes"]))
            continue
        # The shadow time is the first end of a running job at which the head fits; extra nodes are free beyond it.
        later, shadow = free, None
        for end, nodes in sorted(ends):
            if shadow is not None and end > shadow:
                break
            later += nodes
            if shadow is None and later >= head["nodes"]:
                shadow = end
        if shadow is None:
            # Nodes are down, without which the head fits at no time. It waits for them, and the next job is the head.
            continue
        extra = later - head["nodes"]
        for job in waiting:
            is_short = now + job["estimate_s"] <= shadow
            if job["nodes"] <= free and (is_short or job["nodes"] <= extra):
                start.append(job["job"])
                free -= job["nodes"]
                extra -= 0 if is_short else job["nodes"]
        break
    return start


for line in sys.stdin:
    question = json.loads(line)
    if question["message"] == "hello":
        reply = {"protocol": 1}
    elif question["message"] == "dispatch":
        queue = question["queue"] if not question["refused"] else []
        reply = {"start": easy(question["now_s"], question["free"], queue, question["running"])}
    else:
        continue
    print(json.dumps({"id": question["id"], **reply}), flush=True)
