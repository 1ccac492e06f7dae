
// What follows from the shape of a machine and from which nodes are whose. Each function does what one of the program does, and
// tests/browser/player.py compares them. A machine has extents, the numbers of nodes along x, y and z, and wraps, whether each of
// these dimensions is a ring. A box has its base, the node at which it begins, and its sizes; it may go round a ring.
const geometry = (() => {
  // Nodes are listed as runs: the first and the last node of each.
  const nodesOf = (runs) => {
    const nodes = [];
    for (let i = 0; i < runs.length; i += 2) for (let node = runs[i]; node <= runs[i + 1]; node++) nodes.push(node);
    return Int32Array.from(nodes);
  };
  const coord = ({ extents: [w, l] }, node) => [node % w, Math.floor(node / w) % l, Math.floor(node / (w * l))];
  const nodeAt = ({ extents: [w, l] }, [x, y, z]) => x + w * (y + l * z);
  const hops = ({ extents, wraps }, d, a, b) => {
    const straight = Math.abs(a - b);
    return wraps[d] ? Math.min(straight, extents[d] - straight) : straight;
  };
  const farthest = (machine, a, b) => Math.max(...[0, 1, 2].map((d) => hops(machine, d, a[d], b[d])));

  // How many of the nodes are in each group of consecutive nodes of this size that has some.
  const groupsOf = (nodes, size) => {
    const counts = new Map();
    for (const node of nodes) counts.set(Math.floor(node / size), (counts.get(Math.floor(node / size)) ?? 0) + 1);
    return [...counts.values()];
  };
  const pairs = (k) => (k * (k - 1)) / 2;

  // The sum of the hops over all pairs of nodes. On a tree of switches a pair has two links, and two more for each height at which
  // its nodes are in different groups. Along a line, a cut with P nodes on one side adds a hop to P·(k − P) pairs. On a
  // ring, twice the distance of two positions is the number of diameters, drawn at every half step, that part them.
  const pairwiseSum = (machine, nodes) => {
    const k = nodes.length;
    if (machine.levels) {
      const apart = (size) => pairs(k) - groupsOf(nodes, size).reduce((sum, count) => sum + pairs(count), 0);
      return machine.levels.slice(0, -1).reduce((sum, size) => sum + 2 * apart(size), 2 * pairs(k));
    }
    let sum = 0;
    for (const d of [0, 1, 2]) {
      const n = machine.extents[d], counts = new Array(n).fill(0);
      for (const node of nodes) counts[coord(machine, node)[d]]++;
      if (!machine.wraps[d]) {
        let below = 0;
        for (const count of counts) {
          below += count;
          sum += below * (k - below);
        }
        continue;
      }
      const at = (half) => half % 2 === 0 ? counts[(half / 2) % n] : 0;
      let side = 0, doubled = 0;
      for (let half = 1; half <= n; half++) side += at(half);
      for (let half = 0; half < n; half++) {
        doubled += side * (k - side);
        side += at(half + n + 1) - at(half + 1);
      }
      sum += doubled / 2;
    }
    return sum;
  };
  const pairwiseMean = (machine, nodes) => {
    const k = nodes.length;
    return k < 2 ? 0 : (2 * pairwiseSum(machine, nodes)) / (k * (k - 1));
  };

  // The messages on each link if all nodes send to each other on routes along x, then y, then z, the shorter way round a ring, and
  // half of the way round up from nodes whose coordinates have an even sum. Calls see(node, d, up, load) for each link that leaves
  // a node upwards or downwards. A link along a dimension carries messages from the nodes with its coordinates in later dimensions
  // to those with its coordinates in earlier ones, so that they are counted by line.
  const links = (machine, nodes, see) => {
    const { extents, wraps } = machine;
    let low = 1;
    for (const d of [0, 1, 2]) {
      const n = extents[d], high = extents.slice(d + 1).reduce((product, extent) => product * extent, 1);
      const senders = new Float64Array(2 * n * high), targets = new Float64Array(low * n);
      for (const node of nodes) {
        const [x, y, z] = coord(machine, node);
        senders[2 * Math.floor(node / low) + ((x + y + z) % 2 === 0 ? 1 : 0)]++;
        targets[node % (low * n)]++;
      }
      for (let upper = 0; upper < high; upper++) {
        const from = senders.subarray(2 * n * upper, 2 * n * (upper + 1));
        if (n < 2 || !from.some((count) => count > 0)) continue;
        for (let lower = 0; lower < low; lower++) {
          const to = Array.from({ length: n }, (_, i) => targets[lower + low * i]);
          if (!to.some((count) => count > 0)) continue;
          const [ups, downs] = wraps[d] ? ring(from, to) : line(from, to);
          for (let i = 0; i < n; i++) {
            const node = lower + low * (i + n * upper);
            if (ups[i] > 0) see(node, d, true, ups[i]);
            if (downs[i] > 0) see(node, d, false, downs[i]);
          }
        }
      }
      low *= n;
    }
  };
  const line = (from, to) => {
    const n = to.length, all = to.reduce((a, b) => a + b, 0), senders = from.reduce((a, b) => a + b, 0);
    const ups = [], downs = [];
    let [sent, taken] = [0, 0];
    for (let i = 0; i < n; i++) {
      downs.push((senders - sent) * taken);
      sent += from[2 * i] + from[2 * i + 1];
      taken += to[i];
      ups.push(sent * (all - taken));
    }
    return [ups, downs];
  };
  const ring = (from, to) => {
    const n = to.length, ups = new Array(n).fill(0), downs = new Array(n).fill(0);
    for (let i = 0; i < n; i++) {
      const [down, up] = [from[2 * i], from[2 * i + 1]];
      if (down + up === 0) continue;
      let [below, above] = [0, 0];
      for (let far = Math.floor(n / 2); far >= 1; far--) {
        const isHalf = 2 * far === n;
        below += (isHalf ? down : down + up) * to[(i + n - far) % n];
        downs[(i + n - far + 1) % n] += below;
        above += (isHalf ? up : down + up) * to[(i + far) % n];
        ups[(i + far - 1) % n] += above;
      }
    }
    return [ups, downs];
  };

  // The centre of a job's shells: its node with the smallest sum of L∞ distances to its nodes, the first one by x, y and z. This sum
  // is the score by which MC1x1 judges a centre. The sum over nodes is one over radii, of the nodes farther than that, which prefix
  // sums count.
  const centre = (machine, nodes) => {
    const { extents: [w, l, d], wraps, extents } = machine, [sw, sl] = [w + 1, l + 1];
    const before = new Int32Array(sw * sl * (d + 1));
    const index = (x, y, z) => x + sw * (y + sl * z);
    for (const node of nodes) {
      const [x, y, z] = coord(machine, node);
      before[index(x + 1, y + 1, z + 1)] = 1;
    }
    for (let z = 1; z <= d; z++) for (let y = 1; y <= l; y++) for (let x = 1; x <= w; x++) {
      before[index(x, y, z)] += before[index(x - 1, y, z)] + before[index(x, y - 1, z)] + before[index(x, y, z - 1)]
        - before[index(x - 1, y - 1, z)] - before[index(x - 1, y, z - 1)] - before[index(x, y - 1, z - 1)] + before[index(x - 1, y - 1, z - 1)];
    }
    const within = (at, radius) => {
      const ranges = [0, 1, 2].map((d) => {
        const n = extents[d], low = at[d] - radius, high = at[d] + radius + 1;
        if (!wraps[d]) return [[Math.max(0, low), Math.min(n, high)]];
        if (high - low >= n) return [[0, n]];
        return low < 0 ? [[0, high], [low + n, n]] : high > n ? [[low, n], [0, high - n]] : [[low, high]];
      });
      let count = 0;
      for (const [a, b] of ranges[0]) for (const [c, e] of ranges[1]) for (const [f, g] of ranges[2]) {
        count += before[index(b, e, g)] - before[index(a, e, g)] - before[index(b, c, g)] - before[index(b, e, f)]
          + before[index(a, c, g)] + before[index(a, e, f)] + before[index(b, c, f)] - before[index(a, c, f)];
      }
      return count;
    };
    let best = null;
    for (const node of nodes) {
      const at = coord(machine, node);
      let score = 0;
      for (let radius = 0; !best || score <= best.score; radius++) {
        const beyond = nodes.length - within(at, radius);
        if (beyond === 0) break;
        score += beyond;
      }
      const order = best && (score - best.score || at[0] - best.at[0] || at[1] - best.at[1] || at[2] - best.at[2]);
      if (!best || order < 0) best = { node, at, score };
    }
    best.reach = nodes.reduce((most, node) => Math.max(most, farthest(machine, best.at, coord(machine, node))), 0);
    return best;
  };

  // The largest rectangle of a plane of bits, from the heights of columns: a stack holds columns of growing height.
  const largestIn = (plane, [w, l], wraps) => {
    const across = wraps[0] ? 2 * w - 1 : w, down = wraps[1] ? 2 * l - 1 : l, heights = new Int32Array(across + 1), stack = new Int32Array(across + 2);
    let best = { nodes: 0 };
    for (let y = 0; y < down; y++) {
      const row = (y % l) * w;
      let top = 0;
      for (let x = 0; x <= across; x++) {
        const height = x === across ? 0 : plane[row + (x % w)] ? Math.min(heights[x] + 1, l) : 0;
        heights[x] = height;
        while (top > 0 && heights[stack[top - 1]] >= height) {
          const tall = heights[stack[--top]], left = top > 0 ? stack[top - 1] + 1 : 0, wide = Math.min(x - left, w);
          if (tall * wide > best.nodes) best = { nodes: tall * wide, base: [left % w, (y - tall + 1) % l], sizes: [wide, tall] };
        }
        stack[top++] = x;
      }
    }
    return best;
  };
  // The largest box of nodes for which is[node]; null if there is none. Every run of layers is looked at that can have a larger one.
  const largest = (machine, is) => {
    const { extents: [w, l, d], wraps } = machine, plane = new Uint8Array(w * l);
    let best = null;
    for (let z = 0; z < d; z++) {
      plane.fill(1);
      const tallest = wraps[2] ? d : d - z;
      for (let deep = 1; deep <= tallest; deep++) {
        const layer = ((z + deep - 1) % d) * w * l;
        let left = 0;
        for (let i = 0; i < w * l; i++) left += (plane[i] &= is[layer + i]);
        if (left * tallest <= (best ? best.nodes : 0)) break;
        if (left * deep <= (best ? best.nodes : 0)) continue;
        const found = largestIn(plane, [w, l], wraps);
        if (found.nodes * deep > (best ? best.nodes : 0)) {
          best = { nodes: found.nodes * deep, base: [...found.base, z], sizes: [...found.sizes, deep] };
        }
      }
    }
    return best;
  };
  const inBox = (machine, { base, sizes }) => {
    const nodes = [], at = (d, step) => (base[d] + step) % machine.extents[d];
    for (let k = 0; k < sizes[2]; k++) for (let j = 0; j < sizes[1]; j++) for (let i = 0; i < sizes[0]; i++) {
      nodes.push(nodeAt(machine, [at(0, i), at(1, j), at(2, k)]));
    }
    return nodes;
  };
  // The largest free box, the largest one of what it leaves, and so on: at most so many, each of at least two nodes.
  const freeBoxes = (machine, isFree, most) => {
    const left = Uint8Array.from(isFree), boxes = [];
    while (boxes.length < most) {
      const box = largest(machine, left);
      if (!box || (box.nodes < 2 && boxes.length > 0)) break;
      boxes.push(box);
      for (const node of inBox(machine, box)) left[node] = 0;
    }
    return boxes;
  };

  // The largest blocks of a hierarchy whose nodes all have the same owner. tops lists the blocks that no other contains, base and
  // sizes; splits says for a size into which sizes it splits.
  const blocks = (machine, { tops, splits }, owner) => {
    const rules = new Map(splits.map(([a, b, c, ...parts]) => [`${a} ${b} ${c}`, parts])), found = [];
    const look = (base, sizes) => {
      const first = owner[nodeAt(machine, base)];
      let isWhole = true;
      search: for (let z = base[2]; z < base[2] + sizes[2]; z++) for (let y = base[1]; y < base[1] + sizes[1]; y++) {
        const row = nodeAt(machine, [base[0], y, z]);
        for (let x = 0; x < sizes[0]; x++) {
          if (owner[row + x] !== first) {
            isWhole = false;
            break search;
          }
        }
      }
      const parts = rules.get(sizes.join(" "));
      if (isWhole || !parts) {
        found.push({ base, sizes, owner: first });
        return;
      }
      for (let z = 0; z < sizes[2]; z += parts[2]) for (let y = 0; y < sizes[1]; y += parts[1]) for (let x = 0; x < sizes[0]; x += parts[0]) {
        look([base[0] + x, base[1] + y, base[2] + z], parts);
      }
    };
    for (const top of tops) look(top.slice(0, 3), top.slice(3));
    return found;
  };

  return { nodesOf, coord, nodeAt, hops, farthest, groupsOf, pairwiseSum, pairwiseMean, links, centre, freeBoxes, inBox, blocks };
})();
