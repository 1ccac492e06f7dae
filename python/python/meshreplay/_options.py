"""The keywords of replays and pictures, made from the arguments of the command by python/scripts/options.py."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

Scalar = str | int | float | os.PathLike[str]
"""A value, as a number or as the command spells it."""


class ReplayOptions(TypedDict, total=False):
    """Every option of a replay by its own name. `None` stands for the default."""

    topology: Scalar | None
    """`--topology`: The tree of switches that --machine auto stands for: a topology.conf or topology.yaml of Slurm,
    or the output of scontrol show topology. Its names of nodes are also the node map."""

    unavailable: Scalar | Iterable[Scalar] | None
    """`--unavailable`: Nodes that no job can have, on every machine: a file (nodes, intervals or coordinates on its
    lines, or a table with commas and a column node), intervals such as 0-3,17, coordinates such as (3,1), or
    submeshes by two corners such as (0,0)-(3,1). They become part of the machine: 16x8:without=0-3,17."""

    order: Literal["arrival", "sjf", "ljf", "smallest", "largest", "ssd", "wfp3", "unicef", "f1", "f2", "f3", "f4"] | None
    """`--order`: Priority order of waiting jobs. It sets the parameter `order` of every scheduler, so each of them
    must have one."""

    arrival_scale: Scalar | Iterable[Scalar] | None
    """`--arrival-scale`: Factors of arrival times. A factor below 1 raises the load. [default: 1]"""

    threads: Scalar | None
    """`--threads`: Number of replays that run at once [default: the number of cores]. Results do not depend on it."""

    rules: Literal["authors", "requested", "allocated"] | None
    """`--rules`: Rules for turning records into jobs. authors, the rules of the simulator PReMAS: allocated
    processors, and jobs of 0 s are kept. requested: requested processors. allocated: allocated processors. The last
    two leave out jobs that did not run. [default: authors]"""

    status: Literal["authors", "completed", "all"] | None
    """`--status`: Statuses to replay. By default the rules decide: −1, 0, 1, and 5 if the job ran, for authors; every
    status for requested and allocated."""

    estimate: Scalar | None
    """`--estimate`: Estimated run times: as recorded, exact (equal to the run time), or factor=F (F times the run
    time). predicted:user-last-two predicts the mean of the user's last two jobs that have ended, and from-file:FILE
    reads lines job,prediction; `meshreplay list predictors` shows more. When a job outlives its prediction, it is
    corrected by the rule after ,correct=: tsafrir (in steps), request (to the requested time) or error (fails).
    [default: recorded]"""

    arrivals: Scalar | None
    """`--arrivals`: Arrival times: as recorded, or uniform:max=M. The latter keeps the order of the jobs and draws
    the gaps between them from each seed, uniformly from 0 to M seconds; with M = 0 all jobs arrive at once. [default:
    recorded]"""

    partition: Scalar | Iterable[Scalar] | None
    """`--partition`: Partitions to replay, by name or number (`meshreplay trace info` shows them): batch is one row,
    batch+debug one row of the jobs of both, and batch debug two rows. each is one row per partition, all one row of
    all jobs. With --machine auto every row has the machine of its partitions [default: all; with --machine auto,
    partitions without common nodes in the log's node lists have rows and machines of their own]."""

    overrun: Literal["extend", "kill", "run-on"] | None
    """`--overrun`: What happens to jobs that ran longer than estimated: extend raises the estimate to the run time,
    kill ends the run at the estimate, run-on keeps both times. [default: extend]"""

    sizes: Literal["all", "parallel", "powers-of-two"] | None
    """`--sizes`: Sizes to replay: all, more than one processor (parallel), or powers of two. [default: all]"""

    shape: Scalar | None
    """`--shape`: Shape of jobs without a shape of their own. near-square: the submesh of fewest nodes whose longest
    side is at most twice the shortest. factors: a submesh of exactly that number of nodes if one fits, so that 13
    nodes are a row. row: one row. pow2: near-square with sides rounded up to powers of two. list:4x4x4,8x4x4: the
    smallest listed shape with enough nodes, whether or not it fits the machine. [default: near-square]"""

    oversize: Literal["error", "skip"] | None
    """`--oversize`: Treatment of jobs that are larger than the machine, or that the allocator cannot place even on
    the idle machine: fail the replay (error), or leave them out and count them (skip). [default: error]"""

    trim: Scalar | None
    """`--trim`: Leave jobs out of means: those submitted in the first and the last PERCENT of the period of
    submissions, the same jobs in every replay."""

    replications: Scalar | None
    """`--replications`: Number of seeds with which each replay is repeated [default: 1].
    until:within=0.05,min=5,max=200 repeats it until the 95 % confidence intervals of turnaround and utilization are
    within 5 % of their means; confidence=0.9 changes the 95 %. Workload models draw new jobs from each seed."""

    shake: Scalar | None
    """`--shake`: Change each run time of a log at random by up to this percentage, such as 0.1%, anew in each of the
    --replications: a difference that is chance in the details of this log disappears in the mean. The scheduler
    `recorded` keeps the run times of the log."""

    timed: bool | None
    """`--no-timing`: With False: Do not measure the time of allocator calls, so that results are the same bytes on
    every run. [default: True]"""

    latency: bool | None
    """`--latency`: Keep how long allocator calls take: more quantiles of placing, refusing and releasing in the
    summary, and with the jobs the frame `latency`, a histogram whose counts add up over replays, seeds and parts of a
    study."""

    why: bool | None
    """`--why`: Find out why jobs waited: split each wait into the time without room, behind the reservation of the
    oldest blocked job, without nodes in outages, without a place for a contiguous allocator, and free to start, when
    the scheduler could have started the job and delayed no other."""

    contention: bool | None
    """`--contention`: Estimate contention: the number of pairs of messages that meet on links if all nodes of each
    running job send to each other."""

    fragmentation: Scalar | None
    """`--fragmentation`: Measure the fragmentation of the free nodes: the largest free submesh, and how many of each
    of these slices, such as 4x4x4,8x4x4*3, would fit, as means over time, with the share of the time in which at
    least so many fit (*3; 1 if left out)."""

    placements: bool | None
    """`--placements`: Keep the nodes of every job too, such as 0-3 7, in the column `nodes` of the jobs. A job that
    was moved has its last nodes."""

    by_shape: bool | None
    """`--by-shape`: Count the jobs of each shape and number of nodes too: how many there are, how many never fit, how
    often they are refused and how long they wait, in the frame `shapes`."""

    tidy: bool | None
    """`--tidy`: Keep one more frame, `tidy`: the jobs with log, machine, scheduler, allocator and the other
    coordinates of their replay, so that nothing has to be joined."""

    audit: bool | None
    """`--audit`: Audit each replay as it runs, by the rules of the command audit: no job starts before it arrives or
    ends before it starts, no node belongs to two jobs or is used while it is down, every placement has the right
    size, and all records are as seen. A violation is an error."""

    period: Scalar | None
    """`--period`: The period of each log that numbers cover [default: auto for accounting dumps and tables, off for
    others]. auto finds out whether a log is a window of a longer history, such as the dump of a month; replays then
    begin with the jobs that ran and waited at its beginning. off takes the whole log. FROM..TO are seconds of the
    log, or dates such as 2024-03-01..2024-04-01 in its time zone."""

    outages: Scalar | None
    """`--outages`: Nodes that go down and come up: a file with a line time,node,down|planned|up for each change
    (seconds of the log as replayed; a node is a number, an interval such as 0-3, or coordinates such as (2,5)), or
    random:mtbf=30d,repair=4h for failures that are drawn from the seed. Schedulers know planned outages, of the whole
    machine, in advance: nothing starts that would run into one. recorded plans those that the log shows: 6 h or more
    in which nothing ran while jobs waited that fit."""

    on_outage: Scalar | None
    """`--on-outage`: What happens to a job when one of its nodes goes down [default: requeue:limit=1000]. requeue
    kills it and runs it again from the start, at most 1,000 times or as often as limit= says. drain lets it go on;
    the node leaves when it ends."""

    node_map: Scalar | None
    """`--node-map`: Where the nodes are that the log names, for the allocator recorded: a file with rows name,x,y,z
    or name,number (with or without a header), or the pattern of the names, such as nid{rank}, node{rank+1} or
    c{x}-{y}n{z}. By default the names in natural order are the nodes in the order of their numbers."""


class PlotOptions(TypedDict, total=False):
    """Every option of a picture by its own name. `None` stands for the default."""

    value: Scalar | None
    """`--value`: Column of the summary that a picture shows. The default is turnaround for load (the pairwise mean if
    turnaround is the same in all curves), the pairwise mean for utilization and frontier, and the pairwise sum for
    ratio."""

    log: Scalar | Iterable[Scalar] | None
    """`--log`: Show results of these logs only. In a picture, several logs, machines or schedulers have a panel
    each."""

    machine: Scalar | Iterable[Scalar] | None
    """`--machine`: Show results on these machines only."""

    scheduler: Scalar | Iterable[Scalar] | None
    """`--scheduler`: Show results of these schedulers only."""

    allocator: Scalar | Iterable[Scalar] | None
    """`--allocator`: Show results of these allocators only."""

    log_scale: bool | None
    """`--log-scale`: Use a logarithmic axis for the values in pictures by load, boxes and distributions."""

    axis: Literal["arrivals", "utilization", "factor"] | None
    """`--axis`: Measure of load on the horizontal axis: the arrival rate, the resulting utilization, or the factor of
    arrival times [default: arrivals]."""

    relative_to: Scalar | None
    """`--relative-to`: Baseline allocator of ratios, for each log, machine and scheduler its own [default: mc1x1, or
    else the first]."""

    replay: Scalar | Iterable[Scalar] | None
    """`--replay`: Numbers of the replays that pictures of jobs and nodes show, as in the summary. In a study they are
    the numbers of the cells, from 0. The default are those at the first load."""

    window: Scalar | None
    """`--window`: Time that pictures of jobs and nodes show, FROM..TO in seconds of the replay or as dates of the
    log, such as 1996-09-23..1996-09-30 or 1996-09-23T12:00. Distributions are of the jobs that arrive in it."""

    size: Scalar | None
    """`--size`: Size of a figure on paper: its width, such as 84mm, or width and height, such as 174x90mm. Labels are
    7 points high."""

    no_title: bool | None
    """`--no-title`: Leave out title and subtitle, for figures with a caption."""


class PixelOptions(TypedDict, total=False):
    """How many pixels a picture has, for PNG. `None` stands for the default."""

    scale: Scalar | None
    """`--scale`: Number of pixels for each unit of the drawing, for png [default: 2]."""

    dpi: Scalar | None
    """`--dpi`: Number of pixels for each inch of paper, for png, in place of --scale."""
