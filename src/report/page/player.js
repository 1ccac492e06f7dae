
// The machine over time.
(() => {
  const source = document.getElementById("schedule");
  if (!source) return;
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  // {from, to, replays: [{name, colour, extents: [w, l, d], unavailable: [first, last, …],
  //   down: [[from, until or null, [first, last, …]], …], queue: [longest in each part of the window, …], busy: [‰, …],
  //   jobs: [[number, submit, start, end, procs, [first, last, …], 1 if killed], …]}, …]}
  // With dates there are unix, the second since 1970 at which times are 0, and zone, the time zone of the log.
  const { from, to, replays, unix, zone } = JSON.parse(source.textContent);
  const dates = (() => {
    if (unix === undefined) return null;
    // Swedish dates are written year first. Old browsers do not know every zone.
    try { return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }); } catch { return null; }
  })();
  const [slider, play, speed, clock, facts, strip, jump, zoom, whole, reach] =
    ["time", "play", "speed", "clock", "facts", "strip", "congestion", "zoom", "whole", "reach"].map((id) => document.getElementById(id));
  const bins = replays[0].queue.length, part = (to - from) / bins;
  const bin = (time) => Math.max(0, Math.min(bins - 1, Math.floor((time - from) / part)));
  // The range of time that the slider and the strip show.
  let range = [from, to], pointed = null;

  const time = (s) => {
    if (dates) return dates.format((unix + s) * 1000);
    const day = Math.floor(s / 86400), rest = s - day * 86400;
    const two = (n) => String(Math.floor(n)).padStart(2, "0");
    return `day ${day}, ${two(rest / 3600)}:${two((rest % 3600) / 60)}:${two(rest % 60)}`;
  };
  const span = (s) => s < 120 ? `${Math.round(s)} s` : s < 7200 ? `${(s / 60).toFixed(0)} min` : s < 172800 ? `${(s / 3600).toFixed(1)} h` : `${(s / 86400).toFixed(1)} days`;

  // Starts of congestion: parts of the window from which on the queue is at least half as long as it ever gets, or, if no job
  // ever waits, in which the machine is about as full as it ever gets.
  const crowd = (() => {
    const top = (name) => replays.map((replay) => Math.max(...replay[name]));
    const [queue, busy] = [top("queue"), top("busy")];
    const waits = Math.max(...queue) > 0;
    const is = (i) => replays.some((replay, r) => waits ? queue[r] > 0 && replay.queue[i] >= queue[r] / 2 : replay.busy[i] >= 0.9 * busy[r]);
    return Array.from({ length: bins }, (_, i) => i).filter((i) => is(i) && (i === 0 || !is(i - 1)));
  })();
  const middle = (i) => from + (i + 0.5) * part;
  let now = crowd.length > 0 ? middle(crowd[0]) : from;

  // Neighbouring numbers get far hues; three lightnesses keep them apart without colours.
  const colours = new Map();
  const colour = (job) => {
    if (!colours.has(job)) {
      const hue = (job * 137.508) % 360, light = (dark() ? 48 + (job % 3) * 9 : 42 + (job % 3) * 12) / 100;
      const spread = 0.62 * Math.min(light, 1 - light);
      const channel = (n) => {
        const k = (n + hue / 30) % 12;
        return Math.round(255 * (light - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
      };
      colours.set(job, 0xff000000 | (channel(4) << 16) | (channel(8) << 8) | channel(0));
    }
    return colours.get(job);
  };
  const all = (runs) => {
    const nodes = [];
    for (let i = 0; i < runs.length; i += 2) for (let n = runs[i]; n <= runs[i + 1]; n++) nodes.push(n);
    return nodes;
  };

  // Nodes as cells of a picture: layers of a cube beside each other, a row wrapped into lines.
  const figures = [...document.querySelectorAll(".meshes figure")];
  const views = replays.map((replay, index) => {
    const [w, l, d] = replay.extents;
    const wide = l * d === 1 ? Math.min(w, 64) : w, high = l * d === 1 ? Math.ceil(w / wide) : l;
    const columns = Math.ceil(Math.sqrt(d)), rows = Math.ceil(d / columns);
    const across = columns * wide + (columns - 1), down = rows * high + (rows - 1);
    const size = Math.max(2, Math.min(22, Math.floor((replays.length > 3 ? 276 : replays.length > 2 ? 370 : 560) / Math.max(across, down))));
    const canvas = figures[index].querySelector("canvas"), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(across * size * ratio);
    canvas.height = Math.round(down * size * ratio);
    canvas.style.width = `${across * size}px`;
    const cell = (node) => {
      if (l * d === 1) return (high - 1 - Math.floor(node / wide)) * across + (node % wide);
      const x = node % w, y = Math.floor(node / w) % l, z = Math.floor(node / (w * l));
      return (Math.floor(z / columns) * (high + 1) + (l - 1 - y)) * across + (z % columns) * (wide + 1) + x;
    };
    const cells = Int32Array.from({ length: w * l * d }, (_, node) => cell(node));
    // Nodes that no job can have are only outlined.
    const unavailable = new Set(all(replay.unavailable ?? []));
    const free = cells.filter((_, node) => !unavailable.has(node)), outlined = cells.filter((_, node) => unavailable.has(node));
    const outages = (replay.down ?? []).map(([since, until, runs]) => ({ since, until: until ?? Infinity, cells: all(runs).map((node) => cells[node]) }));
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [across, down];
    const pixels = new ImageData(across, down), spots = new Array(replay.jobs.length);
    const of = (i) => spots[i] ??= Int32Array.from(all(replay.jobs[i][5]), (node) => cells[node]);
    return {
      replay, figure: figures[index], canvas, across, down, size, ratio, free, outlined, outages, of, picture, pixels,
      data: new Uint32Array(pixels.data.buffer), holder: new Array(across * down), load: figures[index].querySelector(".load"),
    };
  });
  const shown = () => views.filter((view) => !view.figure.hidden);

  // Nodes that are down have a cross: on grey, or on the colour of a job that still runs there.
  const crosses = (view, context) => {
    const { size, across } = view;
    for (const outage of view.outages) {
      if (outage.since > now) break;
      if (outage.until <= now) continue;
      for (const cell of outage.cells) {
        const x = (cell % across) * size, y = Math.floor(cell / across) * size, held = view.holder[cell];
        if (!held) {
          context.fillStyle = dark() ? "#aab2ba" : "#4a4f55";
          context.fillRect(x, y, size - 1, size - 1);
          view.holder[cell] = outage;
        }
        context.strokeStyle = !held && dark() ? "#14181c" : "#ffffff";
        context.lineWidth = Math.max(1, size / 10);
        context.beginPath();
        for (const [a, b] of [[0.2, 0.8], [0.8, 0.2]]) {
          context.moveTo(x + a * size - 0.5, y + 0.2 * size - 0.5);
          context.lineTo(x + b * size - 0.5, y + 0.8 * size - 0.5);
        }
        context.stroke();
      }
    }
  };

  const paint = (view) => {
    const context = view.canvas.getContext("2d"), { size, ratio, across, down, data } = view;
    const free = dark() ? 0xff38312a : 0xfff2efec;
    data.fill(0);
    view.holder.fill(undefined);
    for (const cell of view.free) data[cell] = free;
    const marked = [];
    view.replay.jobs.forEach((job, i) => {
      if (job[2] > now || job[3] <= now) return;
      const paint = colour(job[0]), cells = view.of(i);
      for (const cell of cells) {
        data[cell] = paint;
        view.holder[cell] = job;
      }
      if (pointed === job[0]) marked.push(...cells);
    });
    view.picture.getContext("2d").putImageData(view.pixels, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, across * size, down * size);
    context.imageSmoothingEnabled = false;
    context.drawImage(view.picture, 0, 0, across * size, down * size);
    // Gaps between the cells.
    if (size > 3) {
      context.fillStyle = dark() ? "#14181c" : "#ffffff";
      for (let x = 1; x <= across; x++) context.fillRect(x * size - 1, 0, 1, down * size);
      for (let y = 1; y <= down; y++) context.fillRect(0, y * size - 1, across * size, 1);
    }
    context.lineWidth = 1;
    context.strokeStyle = dark() ? "#4a545e" : "#b9c1c9";
    for (const cell of view.outlined) {
      context.strokeRect((cell % across) * size + 0.5, Math.floor(cell / across) * size + 0.5, size - 2, size - 2);
    }
    crosses(view, context);
    context.strokeStyle = dark() ? "#ffffff" : "#000000";
    context.lineWidth = 2;
    for (const cell of marked) {
      context.strokeRect((cell % across) * size + 0.5, Math.floor(cell / across) * size + 0.5, Math.max(1, size - 2), Math.max(1, size - 2));
    }
    const i = bin(now);
    view.load.textContent = `${view.replay.queue[i].toLocaleString("en")} waiting · ${(view.replay.busy[i] / 10).toFixed(0)} % busy`;
  };

  // The strip: the queue of each replay above and its busy nodes below, with a mark at the present time.
  const at = (time, width) => ((time - range[0]) / (range[1] - range[0])) * width;
  const paintStrip = () => {
    const ratio = window.devicePixelRatio || 1, width = strip.clientWidth, height = strip.clientHeight, half = height / 2;
    if (strip.width !== Math.round(width * ratio) || strip.height !== Math.round(height * ratio)) {
      strip.width = Math.round(width * ratio);
      strip.height = Math.round(height * ratio);
    }
    const context = strip.getContext("2d"), ink = dark() ? "#a3aeb8" : "#55606a";
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const [first, last] = [bin(range[0]), bin(range[1])], here = shown();
    const top = Math.max(1, ...here.map((view) => Math.max(...view.replay.queue.slice(first, last + 1))));
    const curve = (values, most, base, tall) => {
      context.beginPath();
      for (let i = first; i <= last; i++) {
        const y = base - (values[i] / most) * tall;
        context.lineTo(at(from + i * part, width), y);
        context.lineTo(at(from + (i + 1) * part, width), y);
      }
      context.stroke();
    };
    context.lineWidth = 1.3;
    here.forEach((view, i) => {
      context.strokeStyle = view.replay.colour;
      // Curves that coincide stay visible as dashes of different lengths.
      context.setLineDash(i === 0 ? [] : [3 + 3 * i, 4]);
      curve(view.replay.queue, top, half - 2, half - 18);
      curve(view.replay.busy, 1000, height - 2, half - 18);
    });
    context.setLineDash([]);
    context.fillStyle = ink;
    context.font = "12px system-ui, sans-serif";
    context.fillText(`jobs waiting, up to ${top.toLocaleString("en")}`, 6, 13);
    context.fillText("busy nodes, up to 100 %", 6, half + 13);
    context.fillRect(0, half, width, 1);
    context.fillStyle = dark() ? "#6cc3f5" : "#0067a3";
    context.fillRect(Math.round(at(now, width)) - 1, 0, 2, height);
    if (dragged && Math.abs(dragged[1] - dragged[0]) > 4) {
      context.globalAlpha = 0.2;
      context.fillRect(Math.min(...dragged), 0, Math.abs(dragged[1] - dragged[0]), height);
      context.globalAlpha = 1;
    }
  };
  let dragged = null;

  const draw = () => {
    shown().forEach(paint);
    paintStrip();
    clock.textContent = time(now);
    slider.value = now;
    slider.setAttribute("aria-valuetext", time(now));
  };
  const go = (time) => {
    now = Math.max(range[0], Math.min(range[1], time));
    draw();
  };
  const see = (low, high) => {
    const least = Math.max(part, 60);
    if (high - low < least) high = low + least;
    range = [Math.max(from, low), Math.min(to, high)];
    [slider.min, slider.max, slider.step] = [range[0], range[1], (range[1] - range[0]) / 2000];
    reach.textContent = `${time(range[0])} to ${time(range[1])}`;
    whole.disabled = range[0] === from && range[1] === to;
    go(now);
  };

  const tell = (job) => {
    const isJob = Array.isArray(job);
    pointed = isJob ? job[0] : null;
    facts.textContent = isJob
      ? `job ${job[0]}: ${job[4]} processors, waited ${span(job[2] - job[1])}, runs ${span(job[3] - job[2])}, ` +
        (job[6] ? `killed at ${time(job[3])}, as a node went down` : `ends at ${time(job[3])}`)
      : job
      ? `down since ${time(job.since)}` + (job.until < Infinity ? `, until ${time(job.until)}` : "")
      : "Point at a mesh, or move over it with the arrow keys, for a job's facts; it is outlined in every machine.";
    draw();
  };
  for (const view of views) {
    let cursor = [0, 0];
    const look = (x, y) => {
      cursor = [Math.max(0, Math.min(view.across - 1, x)), Math.max(0, Math.min(view.down - 1, y))];
      tell(view.holder[cursor[1] * view.across + cursor[0]] ?? null);
    };
    view.canvas.addEventListener("pointermove", (event) => {
      const box = view.canvas.getBoundingClientRect(), unit = box.width / view.across;
      look(Math.floor((event.clientX - box.left) / unit), Math.floor((event.clientY - box.top) / unit));
    });
    view.canvas.addEventListener("pointerleave", () => tell(null));
    view.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      look(cursor[0] + step[0], cursor[1] + step[1]);
    });
  }

  // Time passes by the clock, however fast the browser draws.
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
    if (last !== null) now += ((stamp - last) / 1000) * Number(speed.value);
    last = stamp;
    if (now >= range[1]) {
      now = range[1];
      set(false);
    }
    draw();
    if (running()) requestAnimationFrame(step);
  };
  play.addEventListener("click", () => {
    if (!running() && now >= range[1]) now = range[0];
    set(!running());
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  jump.addEventListener("click", () => {
    if (crowd.length === 0) return;
    const next = crowd.find((i) => i > bin(now)) ?? crowd[0];
    if (middle(next) < range[0] || middle(next) > range[1]) see(from, to);
    go(middle(next));
  });
  zoom.addEventListener("click", () => {
    const wide = (range[1] - range[0]) / 4;
    see(now - wide, now + wide);
  });
  whole.addEventListener("click", () => see(from, to));
  for (const box of document.querySelectorAll("#shown input")) {
    box.addEventListener("change", () => {
      views[Number(box.value)].figure.hidden = !box.checked;
      draw();
    });
  }

  // A press on the strip goes to a time, and a stretch that is drawn on it becomes the range.
  const x = (event) => event.clientX - strip.getBoundingClientRect().left;
  const when = (x) => range[0] + (x / strip.clientWidth) * (range[1] - range[0]);
  strip.addEventListener("pointerdown", (event) => {
    strip.setPointerCapture(event.pointerId);
    dragged = [x(event), x(event)];
  });
  strip.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    dragged[1] = x(event);
    paintStrip();
  });
  strip.addEventListener("pointercancel", () => { dragged = null; });
  strip.addEventListener("pointerup", () => {
    if (!dragged) return;
    const [low, high] = [Math.min(...dragged), Math.max(...dragged)];
    dragged = null;
    if (high - low > 4) {
      const ends = [when(low), when(high)];
      now = Math.max(ends[0], Math.min(ends[1], now));
      see(...ends);
    } else go(when(low));
  });
  const again = () => {
    colours.clear();
    draw();
  };
  document.addEventListener("theme", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  new ResizeObserver(paintStrip).observe(strip);
  see(from, to);
  tell(null);
})();
