
// Machines drawn flat: the layers of a cube beside each other, a row wrapped into lines.
const flat = (() => {
  // Returns where the nodes are drawn, as cells of a picture, with so many CSS pixels of room for it.
  const layout = ({ extents: [w, l, d] }, room) => {
    const wide = l * d === 1 ? Math.min(w, 64) : w, high = l * d === 1 ? Math.ceil(w / wide) : l;
    const columns = Math.ceil(Math.sqrt(d)), rows = Math.ceil(d / columns);
    const across = columns * wide + (columns - 1), down = rows * high + (rows - 1);
    const size = Math.max(2, Math.min(22, Math.floor(room / Math.max(across, down))));
    const cell = (node) => {
      if (l * d === 1) return (high - 1 - Math.floor(node / wide)) * across + (node % wide);
      const x = node % w, y = Math.floor(node / w) % l, z = Math.floor(node / (w * l));
      return (Math.floor(z / columns) * (high + 1) + (l - 1 - y)) * across + (z % columns) * (wide + 1) + x;
    };
    const cells = Int32Array.from({ length: w * l * d }, (_, node) => cell(node)), nodes = new Int32Array(across * down).fill(-1);
    cells.forEach((cell, node) => { nodes[cell] = node; });
    const picture = document.createElement("canvas"), pixels = new ImageData(across, down);
    [picture.width, picture.height] = [across, down];
    return { across, down, size, cells, nodes, picture, pixels, data: new Uint32Array(pixels.data.buffer) };
  };

  // Draws a line between neighbouring cells whose values differ. of(node) is 0 for what has no border.
  const borders = (context, { across, down, size, nodes }, of) => {
    const at = (x, y) => {
      const node = x < 0 || y < 0 || x >= across || y >= down ? -1 : nodes[y * across + x];
      return node < 0 ? 0 : of(node);
    };
    context.beginPath();
    for (let y = 0; y <= down; y++) for (let x = 0; x <= across; x++) {
      const here = at(x, y), left = Math.max(1, x * size - 0.5), top = Math.max(1, y * size - 0.5);
      if (here !== at(x - 1, y)) {
        context.moveTo(left, top);
        context.lineTo(left, (y + 1) * size - 0.5);
      }
      if (here !== at(x, y - 1)) {
        context.moveTo(left, top);
        context.lineTo((x + 1) * size - 0.5, top);
      }
    }
    context.stroke();
  };
  const middle = ({ across, size, cells }, node) => [(cells[node] % across + 0.5) * size - 0.5, (Math.floor(cells[node] / across) + 0.5) * size - 0.5];

  // Nodes that are down have a cross: on grey, or on the colour of a job that still runs there.
  const crosses = (context, place, state, dark) => {
    const { size, across, cells } = place;
    context.lineWidth = Math.max(1, size / 10);
    for (const outage of state.down) for (const node of outage.nodes) {
      const x = (cells[node] % across) * size, y = Math.floor(cells[node] / across) * size;
      context.strokeStyle = state.owner[node] <= 0 && dark ? "#14181c" : "#ffffff";
      context.beginPath();
      for (const [a, b] of [[0.2, 0.8], [0.8, 0.2]]) {
        context.moveTo(x + a * size - 0.5, y + 0.2 * size - 0.5);
        context.lineTo(x + b * size - 0.5, y + 0.8 * size - 0.5);
      }
      context.stroke();
    }
  };

  // Links between neighbours of the picture are lines; others leave both their ends: over the edge of a ring as short lines, to
  // another layer as dots.
  const links = (context, place, state, { list, top }) => {
    const { size, cells, across } = place;
    for (const { node, other, d, load } of list) {
      const [a, b] = [middle(place, node), middle(place, other)], share = Math.sqrt(load / top);
      const isNear = Math.abs(cells[node] % across - cells[other] % across) + Math.abs(Math.floor(cells[node] / across) - Math.floor(cells[other] / across)) === 1;
      context.lineWidth = Math.max(0.5, (0.04 + 0.2 * share) * size);
      context.beginPath();
      if (d === 2) {
        for (const [x, y] of [a, b]) {
          context.moveTo(x, y);
          context.arc(x, y, Math.max(1, (0.06 + 0.14 * share) * size), 0, 7);
        }
        context.fill();
        continue;
      }
      const step = d === 0 ? [size / 2, 0] : [0, -size / 2];
      context.moveTo(...a);
      context.lineTo(...(isNear ? b : [a[0] + step[0], a[1] + step[1]]));
      if (!isNear) {
        context.moveTo(...b);
        context.lineTo(b[0] - step[0], b[1] - step[1]);
      }
      context.stroke();
    }
  };

  // The borders of shells, and on request in cells of some size the numbers of the shells in the job's nodes.
  const shells = (context, place, state, i, hasNumbers) => {
    const { at, reach } = states.centreOf(state, i), { machine } = state, { size } = place;
    const shell = (node) => geometry.farthest(machine, at, geometry.coord(machine, node));
    context.lineWidth = Math.max(1, size / 14);
    borders(context, place, (node) => Math.max(0, reach + 1 - shell(node)));
    if (size < 13 || !hasNumbers) return;
    context.font = `${Math.round(size * 0.6)}px system-ui, sans-serif`;
    [context.textAlign, context.textBaseline] = ["center", "middle"];
    for (const node of states.nodesOf(state, i)) context.fillText(String(shell(node)), ...middle(place, node));
  };

  const dashed = (context, dash, draw) => {
    context.setLineDash(dash);
    draw();
    context.setLineDash([]);
  };
  const numbered = (state, boxes) => {
    const of = new Int32Array(state.count);
    boxes.forEach((box, i) => { for (const node of geometry.inBox(state.machine, box)) of[node] = i + 1; });
    return (node) => of[node];
  };

  const overlay = (context, place, state, { marked, overlays, dark }) => {
    const i = marked === null ? -1 : states.position(state, marked), ink = dark ? "#ffffff" : "#000000", { size } = place;
    [context.strokeStyle, context.fillStyle] = [ink, ink];
    if (overlays.has("blocks") && state.replay.blocks) {
      context.lineWidth = Math.max(1, size / 12);
      borders(context, place, numbered(state, states.blocksOf(state)));
    }
    if (overlays.has("boxes")) {
      context.strokeStyle = dark ? "#ff9d57" : "#a84300";
      context.lineWidth = Math.max(2, size / 7);
      dashed(context, [Math.max(4, size / 2), 3], () => borders(context, place, numbered(state, states.boxesOf(state))));
      context.strokeStyle = ink;
    }
    if (i < 0) return;
    if (overlays.has("links")) links(context, place, state, states.linksOf(state, i));
    if (overlays.has("shells")) shells(context, place, state, i, !overlays.has("links"));
    context.lineWidth = Math.max(2, size / 8);
    borders(context, place, (node) => state.owner[node] === i + 1 ? 1 : 0);
  };

  const paint = (canvas, place, state, scene) => {
    const { across, down, size, data, cells } = place, { dark, colour, ratio } = scene, context = canvas.getContext("2d");
    const free = dark ? 0xff38312a : 0xfff2efec, grey = dark ? 0xffbab2aa : 0xff554f4a;
    data.fill(0);
    for (let node = 0; node < state.count; node++) {
      const owner = state.owner[node];
      if (owner <= 0) data[cells[node]] = owner === 0 ? free : owner === states.DOWN ? grey : 0;
    }
    for (const i of state.running) {
      const tint = colour(state.replay.jobs[i][0]);
      for (const node of states.nodesOf(state, i)) data[cells[node]] = tint;
    }
    place.picture.getContext("2d").putImageData(place.pixels, 0, 0);
    const sides = [Math.round(across * size * ratio), Math.round(down * size * ratio)];
    if (canvas.width !== sides[0] || canvas.height !== sides[1]) [canvas.width, canvas.height] = sides;
    canvas.style.width = `${across * size}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, across * size, down * size);
    context.imageSmoothingEnabled = false;
    context.drawImage(place.picture, 0, 0, across * size, down * size);
    // Gaps between the cells.
    if (size > 3) {
      context.fillStyle = dark ? "#14181c" : "#ffffff";
      for (let x = 1; x <= across; x++) context.fillRect(x * size - 1, 0, 1, down * size);
      for (let y = 1; y <= down; y++) context.fillRect(0, y * size - 1, across * size, 1);
    }
    // Nodes that no job can have are only outlined.
    context.lineWidth = 1;
    context.strokeStyle = dark ? "#4a545e" : "#b9c1c9";
    for (let node = 0; node < state.count; node++) {
      if (state.usual[node] !== states.UNAVAILABLE) continue;
      context.strokeRect((cells[node] % across) * size + 0.5, Math.floor(cells[node] / across) * size + 0.5, size - 2, size - 2);
    }
    crosses(context, place, state, dark);
    overlay(context, place, state, scene);
  };

  return { layout, paint };
})();
