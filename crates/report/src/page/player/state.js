
// Who has which node at a time, and what overlays show of it.
const states = (() => {
  const UNAVAILABLE = -1, DOWN = -2, MOST_BOXES = 5;

  const make = (replay) => {
    const machine = { extents: replay.extents, wraps: replay.wraps, levels: replay.levels }, count = replay.extents.reduce((product, n) => product * n, 1);
    const usual = new Int32Array(count), byNumber = new Map();
    for (const node of geometry.nodesOf(replay.unavailable ?? [])) usual[node] = UNAVAILABLE;
    replay.jobs.forEach((job, i) => byNumber.set(job[0], [...(byNumber.get(job[0]) ?? []), i]));
    return {
      replay, machine, count, usual, byNumber, available: usual.reduce((sum, usual) => sum + (usual === 0 ? 1 : 0), 0),
      // For each node the position of its job in the list, plus one; 0 if it is free, or why no job can have it.
      owner: Int32Array.from(usual), running: [], down: [], version: 0, nodes: new Array(replay.jobs.length),
      outages: (replay.down ?? []).map(([since, until, runs]) => ({ since, until: until ?? Infinity, nodes: geometry.nodesOf(runs) })),
      kept: new Map(),
    };
  };
  const nodesOf = (state, i) => state.nodes[i] ??= geometry.nodesOf(state.replay.jobs[i][5]);

  // Brings the state to a time; its version changes if anything else does.
  const update = (state, now) => {
    const running = [], jobs = state.replay.jobs, down = state.outages.filter((outage) => outage.since <= now && outage.until > now);
    for (let i = 0; i < jobs.length && jobs[i][2] <= now; i++) if (jobs[i][3] > now) running.push(i);
    const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
    if (state.version > 0 && same(running, state.running) && same(down, state.down)) return;
    Object.assign(state, { running, down, version: state.version + 1 });
    state.owner.set(state.usual);
    for (const outage of down) for (const node of outage.nodes) state.owner[node] = DOWN;
    for (const i of running) for (const node of nodesOf(state, i)) state.owner[node] = i + 1;
    state.kept.clear();
  };

  // What was computed once for a state is kept until the state changes.
  const once = (state, name, compute) => {
    if (!state.kept.has(name)) state.kept.set(name, compute());
    return state.kept.get(name);
  };
  // The position in the list of the running job with this number; -1 if it does not run.
  const position = (state, number) => (state.byNumber.get(number) ?? []).find((i) => state.running.includes(i)) ?? -1;

  const linksOf = (state, i) => once(state, `links ${i}`, () => {
    // Both directions of a link are drawn as one: by its lower node, or the one before the edge of a ring.
    const loads = new Map();
    let [count, most] = [0, 0];
    geometry.links(state.machine, nodesOf(state, i), (node, d, up, load) => {
      const at = geometry.coord(state.machine, node), n = state.machine.extents[d];
      if (!up) at[d] = (at[d] + n - 1) % n;
      const key = 3 * geometry.nodeAt(state.machine, at) + d;
      loads.set(key, (loads.get(key) ?? 0) + load);
      count++;
      most = Math.max(most, load);
    });
    const list = [...loads].map(([key, load]) => {
      const node = Math.floor(key / 3), d = key % 3, other = geometry.coord(state.machine, node);
      other[d] = (other[d] + 1) % state.machine.extents[d];
      return { node, d, other: geometry.nodeAt(state.machine, other), load };
    });
    return { list, count, most, top: list.reduce((top, link) => Math.max(top, link.load), 1) };
  });
  const centreOf = (state, i) => once(state, `centre ${i}`, () => geometry.centre(state.machine, nodesOf(state, i)));
  const isFree = (state) => Uint8Array.from(state.owner, (owner) => owner === 0 ? 1 : 0);
  const boxesOf = (state) => once(state, "boxes", () => geometry.freeBoxes(state.machine, isFree(state), MOST_BOXES));
  const blocksOf = (state) => once(state, "blocks", () => state.replay.blocks
    ? geometry.blocks(state.machine, state.replay.blocks, state.owner).filter((block) => block.owner >= 0) : []);

  // Dimensions after the last one with more than one node are not written.
  const dims = ({ machine }) => Math.max(1, ...machine.extents.map((n, d) => n > 1 ? d + 1 : 0));
  // What is busy now, in percent of the nodes that jobs can have.
  const busy = (state) => once(state, "busy", () => {
    let held = 0;
    for (const i of state.running) held += nodesOf(state, i).length;
    return state.available > 0 ? (100 * held) / state.available : 0;
  });

  // What a line below the machine says of the marked job and of the overlays.
  const facts = (state, { marked, overlays, now }) => {
    const said = [], i = marked === null ? -1 : position(state, marked);
    if (i >= 0) {
      const nodes = nodesOf(state, i);
      const sum = geometry.pairwiseSum(state.machine, nodes), mean = geometry.pairwiseMean(state.machine, nodes);
      said.push(`job ${marked}: pairwise sum ${sum.toLocaleString("en")} ${state.machine.levels ? "links" : "hops"}, mean ${mean.toFixed(3)}`);
      if (state.machine.levels) {
        const leaves = geometry.groupsOf(nodes, state.machine.levels[0]).length;
        said.push(`${leaves} ${leaves === 1 ? "leaf" : "leaves"}`);
      }
      if (overlays.has("links")) {
        const { count, most } = linksOf(state, i);
        said.push(`${count.toLocaleString("en")} links, up to ${most.toLocaleString("en")} messages each`);
      }
      if (overlays.has("shells")) {
        const { at, score, reach } = centreOf(state, i);
        said.push(`shells 0 to ${reach} round (${at.slice(0, dims(state)).join(", ")}), score ${score.toLocaleString("en")}`);
      }
    } else if (marked !== null) {
      const starts = (state.byNumber.get(marked) ?? []).map((i) => state.replay.jobs[i]);
      said.push(starts.length === 0 ? `job ${marked} does not run in this window`
        : starts.some((job) => job[2] > now) ? starts.some((job) => job[1] <= now) ? `job ${marked} waits` : `job ${marked} comes later`
        : `job ${marked} has ended`);
    }
    if (overlays.has("boxes")) {
      const name = (box) => `${box.sizes.slice(0, dims(state)).join("×")} (${box.nodes})`;
      const boxes = boxesOf(state);
      said.push(boxes.length === 0 ? "no free node" : `free boxes of ${boxes.map(name).join(", ")} nodes`);
    }
    if (overlays.has("blocks")) {
      const blocks = blocksOf(state), free = blocks.filter((block) => block.owner === 0).length;
      said.push(state.replay.blocks ? `${blocks.length} blocks, ${free} of them free` : "its allocator has no blocks");
    }
    return said.join(" · ");
  };

  return { make, update, position, nodesOf, linksOf, centreOf, boxesOf, blocksOf, busy, facts, UNAVAILABLE, DOWN };
})();
