"use strict";
(() => {
  // The theme: the reader's choice, until it is changed here.
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    document.dispatchEvent(new Event("theme"));
  });

  // Tables sort by the column whose title is pressed, numbers by value; the second time the other way round.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    table.querySelectorAll("thead th").forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const compare = (a, b) => {
          const [x, y] = [key(a), key(b)], [m, n] = [Number(x), Number(y)];
          const order = x !== "" && y !== "" && !Number.isNaN(m) && !Number.isNaN(n) ? m - n : x.localeCompare(y);
          return up ? order : -order;
        };
        body.append(...[...body.rows].sort(compare));
      });
    });
  }

  const source = document.getElementById("schedule");
  if (!source) return;
  // [{name, extents: [w, l, d], unavailable: [first, last, …], down: [[from, until or null, [first, last, …]], …],
  //   jobs: [[number, submit, start, end, procs, [first, last, …], 1 if killed], …]}, …]
  const { from, to, replays } = JSON.parse(source.textContent);
  const [slider, play, speed, clock, facts] =
    ["time", "play", "speed", "clock", "facts"].map((id) => document.getElementById(id));
  let now = from, pointed = null;

  const seconds = (s) => {
    const day = Math.floor(s / 86400), rest = s - day * 86400;
    const two = (n) => String(Math.floor(n)).padStart(2, "0");
    const time = `${two(rest / 3600)}:${two((rest % 3600) / 60)}:${two(rest % 60)}`;
    return day > 0 ? `day ${day}, ${time}` : time;
  };
  // Neighbouring numbers get far hues; three lightnesses keep them apart without colours.
  const colour = (job) => `hsl(${(job * 137.508) % 360} 62% ${dark() ? 48 + (job % 3) * 9 : 42 + (job % 3) * 12}%)`;

  // Nodes as cells: layers of a cube beside each other, a row wrapped into lines.
  const views = replays.map((replay, index) => {
    const [w, l, d] = replay.extents;
    const wide = l * d === 1 ? Math.min(w, 64) : w, high = l * d === 1 ? Math.ceil(w / wide) : l;
    const columns = Math.ceil(Math.sqrt(d)), rows = Math.ceil(d / columns);
    const across = columns * wide + (columns - 1), down = rows * high + (rows - 1);
    const size = Math.max(2, Math.min(22, Math.floor((replays.length > 2 ? 296 : 560) / Math.max(across, down))));
    const canvas = document.querySelectorAll(".meshes canvas")[index];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = across * size * ratio;
    canvas.height = down * size * ratio;
    canvas.style.width = `${across * size}px`;
    const place = (node) => {
      if (l * d === 1) return [node % wide, high - 1 - Math.floor(node / wide)];
      const x = node % w, y = Math.floor(node / w) % l, z = Math.floor(node / (w * l));
      return [(z % columns) * (wide + 1) + x, Math.floor(z / columns) * (high + 1) + (l - 1 - y)];
    };
    const places = Array.from({ length: w * l * d }, (_, node) => place(node));
    const spread = (runs) => {
      const all = [];
      for (let i = 0; i < runs.length; i += 2) for (let n = runs[i]; n <= runs[i + 1]; n++) all.push(n);
      return all;
    };
    const nodes = (job) => spread(job[5]);
    // Nodes that no job can have are only outlined.
    const unavailable = new Set(spread(replay.unavailable ?? []));
    const outlined = places.filter((_, node) => unavailable.has(node));
    const filled = places.filter((_, node) => !unavailable.has(node));
    const outages = (replay.down ?? []).map(([from, until, runs]) => [from, until ?? Infinity, spread(runs)]);
    return { replay, canvas, size, ratio, places, filled, outlined, outages, nodes, at: new Map() };
  });

  // Nodes that are down have a cross: on grey, or on the colour of a job that still runs there.
  const crosses = () => {
    for (const view of views) {
      const context = view.canvas.getContext("2d"), { size } = view;
      for (const [since, until, nodes] of view.outages) {
        if (since > now) break;
        if (until <= now) continue;
        for (const node of nodes) {
          const [x, y] = view.places[node], held = view.at.has(`${x},${y}`);
          if (!held) {
            context.fillStyle = dark() ? "#aab2ba" : "#4a4f55";
            context.fillRect(x * size, y * size, size - 1, size - 1);
            view.at.set(`${x},${y}`, { since, until });
          }
          context.strokeStyle = !held && dark() ? "#14181c" : "#ffffff";
          context.lineWidth = Math.max(1, size / 10);
          context.beginPath();
          for (const [a, b] of [[0.2, 0.8], [0.8, 0.2]]) {
            context.moveTo((x + a) * size - 0.5, (y + 0.2) * size - 0.5);
            context.lineTo((x + b) * size - 0.5, (y + 0.8) * size - 0.5);
          }
          context.stroke();
        }
      }
    }
  };

  const draw = () => {
    for (const view of views) {
      const context = view.canvas.getContext("2d"), { size, ratio } = view;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, view.canvas.width, view.canvas.height);
      context.fillStyle = dark() ? "#2a3138" : "#eceff2";
      for (const [x, y] of view.filled) context.fillRect(x * size, y * size, size - 1, size - 1);
      context.strokeStyle = dark() ? "#4a545e" : "#b9c1c9";
      context.lineWidth = 1;
      for (const [x, y] of view.outlined) context.strokeRect(x * size + 0.5, y * size + 0.5, size - 2, size - 2);
      view.at.clear();
      for (const job of view.replay.jobs) {
        if (job[2] > now) break;
        if (job[3] <= now) continue;
        const same = pointed !== null && pointed === job[0];
        context.fillStyle = colour(job[0]);
        for (const node of view.nodes(job)) {
          const [x, y] = view.places[node];
          context.fillRect(x * size, y * size, size - 1, size - 1);
          view.at.set(`${x},${y}`, job);
          if (same) {
            context.strokeStyle = dark() ? "#ffffff" : "#000000";
            context.lineWidth = 2;
            context.strokeRect(x * size + 1, y * size + 1, size - 3, size - 3);
          }
        }
      }
    }
    crosses();
    clock.textContent = seconds(now);
    slider.value = now;
    slider.setAttribute("aria-valuetext", seconds(now));
  };

  const tell = (job) => {
    const isJob = Array.isArray(job);
    pointed = isJob ? job[0] : null;
    facts.textContent = isJob
      ? `job ${job[0]}: ${job[4]} processors, waited ${Math.round(job[2] - job[1])} s, runs ${Math.round(job[3] - job[2])} s, ` +
        (job[6] ? `killed at ${seconds(job[3])}, as a node went down` : `ends at ${seconds(job[3])}`)
      : job
      ? `down since ${seconds(job.since)}` + (job.until < Infinity ? `, until ${seconds(job.until)}` : "")
      : "Point at a mesh, or move over it with the arrow keys, for a job's facts.";
    draw();
  };
  for (const view of views) {
    let cursor = [0, 0];
    const look = (x, y) => {
      cursor = [x, y];
      tell(view.at.get(`${x},${y}`) ?? null);
    };
    view.canvas.addEventListener("pointermove", (event) => {
      const box = view.canvas.getBoundingClientRect(), unit = box.width / (view.canvas.width / view.ratio / view.size);
      look(Math.floor((event.clientX - box.left) / unit), Math.floor((event.clientY - box.top) / unit));
    });
    view.canvas.addEventListener("pointerleave", () => tell(null));
    view.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      look(Math.max(0, cursor[0] + step[0]), Math.max(0, cursor[1] + step[1]));
    });
  }

  let last = null;
  const running = () => play.getAttribute("aria-pressed") === "true";
  const set = (on) => {
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "Pause" : "Play";
    last = null;
    if (on) requestAnimationFrame(step);
  };
  const step = (stamp) => {
    if (!running()) return;
    if (last !== null) now += ((stamp - last) / 1000) * ((to - from) / 60) * Number(speed.value);
    last = stamp;
    if (now >= to) {
      now = to;
      set(false);
    }
    draw();
    if (running()) requestAnimationFrame(step);
  };
  play.addEventListener("click", () => {
    if (!running() && now >= to) now = from;
    set(!running());
  });
  slider.addEventListener("input", () => {
    now = Number(slider.value);
    draw();
  });
  document.addEventListener("theme", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  tell(null);
})();
