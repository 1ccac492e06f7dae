
// Machines of three dimensions drawn as a cube that can be turned. Each node in use is a small cube with light on its faces. In a
// projection without perspective all of them look the same, so that one is drawn as a stamp of pixels and then copied, from the far
// ones to the near ones, which cover them. A turn has yaw, round the axis z, and pitch, the height of the eye, both in radians.
const cube = (() => {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const eye = ({ yaw, pitch }) => {
    const [sa, ca, sb, cb] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    return { right: [ca, sa, 0], up: [-sa * sb, ca * sb, cb], toward: [sa * cb, -ca * cb, sb] };
  };

  // Where things are: pixels of a node's side, and the projection of coordinates of nodes to pixels.
  const project = ({ extents }, turn, width) => {
    const axes = eye(turn), scale = (width / 2 - 12) / (0.5 * Math.hypot(...extents)), middle = extents.map((n) => (n - 1) / 2);
    const at = (point) => {
      const from = point.map((value, d) => value - middle[d]);
      return [width / 2 + scale * dot(from, axes.right), width / 2 - scale * dot(from, axes.up)];
    };
    return { ...axes, scale, at };
  };

  // The stamp: for each of its pixels the way to it from the middle, and what it shows, 2·face plus 1 for the edge of a face.
  const LIGHT = [-0.36, 0.58, 0.73];
  const stamp = ({ right, up, toward, scale }, width) => {
    const flat = (p) => [scale * dot(p, right), -scale * dot(p, up)], unit = (d) => [0, 1, 2].map((other) => Number(other === d));
    const faces = [0, 1, 2].map((d) => {
      const sign = toward[d] < 0 ? -1 : 1, normal = unit(d).map((value) => sign * value), [e, f] = [0, 1, 2].filter((other) => other !== d).map((other) => flat(unit(other)));
      const light = dot(LIGHT, [dot(normal, right), dot(normal, up), dot(normal, toward)]);
      return { middle: flat(normal.map((value) => value / 2)), e, f, area: e[0] * f[1] - e[1] * f[0], shade: 0.6 + 0.5 * Math.max(0, light) };
    });
    const reach = Math.ceil(0.87 * scale) + 1, ways = [], kinds = [], slack = 0.5 / scale;
    for (let y = -reach; y <= reach; y++) for (let x = -reach; x <= reach; x++) {
      let nearest = null;
      faces.forEach(({ middle, e, f, area }, face) => {
        if (Math.abs(area) < 0.05) return;
        const [p, q] = [x - middle[0], y - middle[1]], inside = Math.max(Math.abs(p * f[1] - q * f[0]), Math.abs(e[0] * q - e[1] * p)) / Math.abs(area);
        if (inside <= 0.5 + slack && (!nearest || inside < nearest.inside)) nearest = { face, inside };
      });
      if (!nearest) continue;
      ways.push(y * width + x);
      kinds.push(2 * nearest.face + (scale >= 5 && nearest.inside > 0.5 - 0.6 / scale ? 1 : 0));
    }
    return { ways: Int32Array.from(ways), kinds: Uint8Array.from(kinds), shades: faces.flatMap(({ shade }) => [shade, 0.72 * shade]) };
  };

  // Writes all nodes that are solid into the pixels. tints(node) has a value for each kind of pixel. Nodes whose three neighbours
  // towards the eye are solid cannot be seen. Others that are in use are points.
  const fill = (data, width, state, view, pixel, isSolid, tints, point) => {
    const { extents: [w, l, d] } = state.machine, { right, up, toward, scale, at } = view, { ways, kinds } = pixel;
    const steps = toward.map((value) => value > 0 ? 1 : -1), strides = [1, w, w * l], origin = at([0, 0, 0]);
    const order = [w, l, d].map((n, axis) => ({ from: steps[axis] > 0 ? 0 : n - 1, to: steps[axis] > 0 ? n : -1 }));
    const behind = (node, axis, value) => {
      const next = value + steps[axis];
      return next >= 0 && next < state.machine.extents[axis] && isSolid(node + steps[axis] * strides[axis]);
    };
    for (let z = order[2].from; z !== order[2].to; z += steps[2]) for (let y = order[1].from; y !== order[1].to; y += steps[1]) {
      for (let x = order[0].from; x !== order[0].to; x += steps[0]) {
        const node = x + w * (y + l * z);
        if (state.owner[node] === 0 || state.owner[node] === states.UNAVAILABLE) continue;
        const solid = isSolid(node);
        if (solid && behind(node, 0, x) && behind(node, 1, y) && behind(node, 2, z)) continue;
        const across = Math.round(origin[0] + scale * (x * right[0] + y * right[1] + z * right[2]));
        const base = Math.round(origin[1] - scale * (x * up[0] + y * up[1] + z * up[2])) * width + across;
        if (!solid) {
          if (point) data[base] = data[base + 1] = data[base + width] = data[base + width + 1] = point(node);
          continue;
        }
        const tint = tints(node);
        for (let i = 0; i < ways.length; i++) data[base + ways[i]] = tint[kinds[i]];
      }
    }
  };
  const shaded = (colour, shades) => Uint32Array.from(shades, (shade) => {
    const part = (shift) => Math.min(255, Math.round(((colour >>> shift) & 255) * shade)) << shift;
    return 0xff000000 | part(16) | part(8) | part(0);
  });
  const isInUse = (state) => (node) => state.owner[node] > 0 || state.owner[node] === states.DOWN;

  // A box that goes round a ring is several boxes that do not.
  const pieces = ({ extents }, { base, sizes }) => [0, 1, 2].reduce((boxes, d) => boxes.flatMap((box) => {
    const over = box.base[d] + box.sizes[d] - extents[d];
    if (over <= 0) return [box];
    const cut = (from, size) => ({ base: box.base.map((value, i) => i === d ? from : value), sizes: box.sizes.map((value, i) => i === d ? size : value) });
    return [cut(box.base[d], box.sizes[d] - over), cut(0, over)];
  }), [{ base, sizes }]);
  // Draws the edges of a box for which wanted() holds, which gets the two faces that meet there: a dimension and a side each.
  const edges = (context, view, { base, sizes }, wanted = () => true) => {
    context.beginPath();
    for (const d of [0, 1, 2]) {
      const [e, f] = [0, 1, 2].filter((other) => other !== d);
      for (const i of [0, 1]) for (const j of [0, 1]) {
        if (!wanted([[e, i], [f, j]])) continue;
        const end = (side) => base.map((value, axis) => value - 0.5 + (axis === d ? side : axis === e ? i : j) * sizes[axis]);
        context.moveTo(...view.at(end(0)));
        context.lineTo(...view.at(end(1)));
      }
    }
    context.stroke();
  };

  const overlay = (context, state, view, { marked, overlays, dark }) => {
    const i = marked === null ? -1 : states.position(state, marked), { machine } = state;
    const boxes = (list, colour, width, dash) => {
      [context.strokeStyle, context.lineWidth] = [colour, width];
      context.setLineDash(dash);
      for (const box of list) for (const piece of pieces(machine, box)) edges(context, view, piece);
      context.setLineDash([]);
    };
    const ink = dark ? "#ffffff" : "#000000";
    if (overlays.has("blocks")) boxes(states.blocksOf(state), ink, 0.6, []);
    if (overlays.has("boxes")) boxes(states.boxesOf(state), dark ? "#ff9d57" : "#a84300", 1.6, [5, 3]);
    if (i < 0) return;
    if (overlays.has("shells")) {
      const { at, reach } = states.centreOf(state, i);
      const shell = (radius) => {
        const ends = at.map((value, d) => machine.wraps[d] ? [value - radius, value + radius] : [Math.max(0, value - radius), Math.min(machine.extents[d] - 1, value + radius)]);
        const sizes = ends.map(([low, high], d) => Math.min(high - low + 1, machine.extents[d]));
        return { sizes, base: ends.map(([low], d) => sizes[d] === machine.extents[d] ? 0 : (low + machine.extents[d]) % machine.extents[d]) };
      };
      boxes(Array.from({ length: reach + 1 }, (_, radius) => shell(radius)), ink, 0.9, []);
    }
    if (overlays.has("links")) {
      const { list, top } = states.linksOf(state, i);
      context.strokeStyle = ink;
      for (const { node, other, d, load } of list) {
        const [from, to] = [geometry.coord(machine, node), geometry.coord(machine, other)], out = (point, step) => point.map((value, axis) => axis === d ? value + step : value);
        context.lineWidth = 0.5 + 1.5 * Math.sqrt(load / top);
        context.beginPath();
        context.moveTo(...view.at(from));
        context.lineTo(...view.at(from[d] < to[d] ? to : out(from, 0.7)));
        if (from[d] > to[d]) {
          context.moveTo(...view.at(to));
          context.lineTo(...view.at(out(to, -0.7)));
        }
        context.stroke();
      }
    }
  };

  const paint = (canvas, side, state, scene, turn) => {
    const { dark, colour, marked } = scene, ratio = Math.min(2, scene.ratio), width = Math.round(side * ratio);
    canvas.style.width = `${side}px`;
    if (canvas.width !== width || canvas.height !== width) [canvas.width, canvas.height] = [width, width];
    if (canvas.picture?.width !== width) {
      canvas.pixels = new ImageData(width, width);
      canvas.picture = Object.assign(document.createElement("canvas"), { width, height: width });
    }
    const data = new Uint32Array(canvas.pixels.data.buffer), context = canvas.getContext("2d");
    const view = project(state.machine, turn, width), pixel = stamp(view, width), i = marked === null ? -1 : states.position(state, marked);
    const tints = [], grey = dark ? 0xffbab2aa : 0xff554f4a, colourOf = (owner) => owner > 0 ? colour(state.replay.jobs[owner - 1][0]) : grey;
    const tint = (node) => {
      const owner = Math.max(0, state.owner[node]);
      return tints[owner] ??= shaded(colourOf(owner), pixel.shades);
    };
    data.fill(0);
    const isMarked = (node) => state.owner[node] === i + 1;
    fill(data, width, state, view, pixel, i < 0 ? isInUse(state) : isMarked, tint, (node) => colourOf(state.owner[node]));
    canvas.picture.getContext("2d").putImageData(canvas.pixels, 0, 0);
    const whole = { base: [0, 0, 0], sizes: state.machine.extents };
    const isSeen = (faces) => faces.some(([d, far]) => (view.toward[d] > 0) === (far === 1));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, width);
    context.strokeStyle = dark ? "#4a545e" : "#b9c1c9";
    context.lineWidth = ratio;
    edges(context, view, whole, (faces) => !isSeen(faces));
    context.drawImage(canvas.picture, 0, 0);
    context.strokeStyle = dark ? "#a3aeb8" : "#55606a";
    edges(context, view, whole, isSeen);
    // The names of the axes stand at the ends that go out of node 0.
    context.fillStyle = context.strokeStyle;
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    ["x", "y", "z"].forEach((name, d) => context.fillText(name, ...view.at([-0.5, -0.5, -0.5].map((value, axis) => axis === d ? state.machine.extents[d] : value))));
    overlay(context, state, view, scene);
  };

  // The node whose cube is at a place of the picture, in CSS pixels; -1 for none.
  const pick = (canvas, side, state, turn, [x, y]) => {
    const key = JSON.stringify([state.version, turn, side]);
    if (canvas.picked?.key !== key) {
      const view = project(state.machine, turn, side), data = new Uint32Array(side * side), tint = new Uint32Array(6);
      fill(data, side, state, view, stamp(view, side), isInUse(state), (node) => tint.fill(node + 1), null);
      canvas.picked = { key, data };
    }
    const [i, j] = [Math.floor(x), Math.floor(y)];
    return i < 0 || j < 0 || i >= side || j >= side ? -1 : canvas.picked.data[j * side + i] - 1;
  };

  return { paint, pick };
})();
