
// The machine over time.
(() => {
  const source = document.getElementById("schedule");
  if (!source) return;
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  // {from, to, replays: [{colour, extents: [w, l, d], wraps: [along x, y, z], levels: nodes of a group by height if it is a tree, unavailable: [first, last, …],
  //   blocks: {tops: [[base and sizes], …], splits: [[sizes, and those of the parts], …]} if its allocator has some,
  //   down: [[from, until or null, [first, last, …]], …], queue: [longest in each part of the window, …], busy: [‰, …],
  //   jobs: [[number, submit, start, end, procs, [first, last, …], 1 if killed], …]}, …]}
  // With dates there are unix, the second since 1970 at which times are 0, and zone, the time zone of the log.
  const { from, to, replays, unix, zone } = JSON.parse(source.textContent);
  const dates = (() => {
    if (unix === undefined) return null;
    // Swedish dates are written year first. Old browsers do not know every zone.
    try { return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }); } catch { return null; }
  })();
  const [slider, play, speed, clock, facts, strip, jump, zoom, whole, reach, wanted, found] =
    ["time", "play", "speed", "clock", "facts", "strip", "congestion", "zoom", "whole", "reach", "job", "found"].map((id) => document.getElementById(id));
  const bins = replays[0].queue.length, part = (to - from) / bins;
  const bin = (time) => Math.max(0, Math.min(bins - 1, Math.floor((time - from) / part)));
  // The range of time that the slider and the strip show.
  let range = [from, to];
  // The number of the job that the pointer is on, and of the one that was chosen by a press or by its number.
  let pointed = null, chosen = null;

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
  const figures = [...document.querySelectorAll(".meshes figure")];
  const room = replays.length > 3 ? 276 : replays.length > 2 ? 370 : 560;
  const views = replays.map((replay, index) => {
    const figure = figures[index], state = states.make(replay), place = flat.layout(state.machine, room);
    return { replay, figure, state, place, canvas: figure.querySelector("canvas"), load: figure.querySelector(".load"), said: figure.querySelector(".said"), drawn: "" };
  });
  const shown = () => views.filter((view) => !view.figure.hidden);
  const overlays = new Set([...document.querySelectorAll("#overlays button[aria-pressed=true]")].map((button) => button.value));
  const marked = () => pointed ?? chosen;

  // Machines with layers are drawn flat or as cubes, which all turn together.
  const turn = { yaw: 0.6, pitch: 0.5 };
  let drawsCubes = false;
  const isCube = (view) => drawsCubes && view.replay.extents[2] > 1 && !view.replay.levels;

  // A machine is drawn again if something has changed in it.
  const paint = (view) => {
    const { state, replay } = view, ratio = window.devicePixelRatio || 1;
    states.update(state, now);
    // Overlays go by coordinates, which trees do not have.
    const scene = { now, marked: marked(), overlays: replay.levels ? new Set() : overlays, dark: dark(), colour, ratio };
    const i = bin(now), isTurned = isCube(view);
    const key = JSON.stringify([state.version, scene.marked, [...scene.overlays], scene.dark, ratio, isTurned && turn]);
    view.load.textContent = `${replay.queue[i] ? "up to " : ""}${replay.queue[i].toLocaleString("en")} waiting · ${states.busy(state).toFixed(0)} % busy`;
    if (scene.marked !== null || key !== view.drawn) view.said.textContent = states.facts(state, scene);
    if (key === view.drawn) return;
    view.drawn = key;
    if (isTurned) cube.paint(view.canvas, room, state, scene, turn);
    else flat.paint(view.canvas, view.place, state, scene);
    view.said.style.maxWidth = `${Math.max(272, parseInt(view.canvas.style.width))}px`;
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

  const FLAT = "Point at a machine, or move over it with the arrow keys: the job is marked in all machines. A press or Enter keeps it marked, Escape ends that.";
  const TURNED = "Drag a cube, or press arrow keys on it, to turn it. Point at a node: its job is marked in all machines. A press keeps it marked, Escape ends that.";
  const tell = (told) => {
    const isJob = Array.isArray(told);
    pointed = isJob ? told[0] : null;
    facts.textContent = isJob
      ? `job ${told[0]}: ${told[4]} processors, waited ${span(told[2] - told[1])}, runs ${span(told[3] - told[2])}, ` +
        (told[6] ? `killed at ${time(told[3])}, as a node went down` : `ends at ${time(told[3])}`)
      : told
      ? `down since ${time(told.since)}` + (told.until < Infinity ? `, until ${time(told.until)}` : "")
      : drawsCubes ? TURNED : FLAT;
    draw();
  };
  // What is known of a node: its job, or its outage; null for a free one.
  const known = (state, node) => {
    const owner = node < 0 ? 0 : state.owner[node];
    if (owner > 0) return state.replay.jobs[owner - 1];
    return owner === states.DOWN ? state.down.find((outage) => outage.nodes.includes(node)) ?? null : null;
  };
  const choose = (number) => {
    chosen = number;
    draw();
  };
  for (const view of views) {
    const { state, place, canvas } = view;
    let cursor = [0, 0], held = null, wasTurned = false;
    const look = (x, y) => {
      cursor = [Math.max(0, Math.min(place.across - 1, x)), Math.max(0, Math.min(place.down - 1, y))];
      tell(known(state, place.nodes[cursor[1] * place.across + cursor[0]]));
    };
    const turned = (yaw, pitch) => {
      turn.yaw = (turn.yaw + yaw) % (2 * Math.PI);
      turn.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, turn.pitch + pitch));
      draw();
    };
    canvas.addEventListener("pointerdown", (event) => {
      wasTurned = false;
      if (!isCube(view)) return;
      held = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
    canvas.addEventListener("pointermove", (event) => {
      const { clientX, clientY } = event;
      if (held) {
        const way = [clientX - held[0], clientY - held[1]];
        // A press with a trembling hand is no turn.
        if (!wasTurned && Math.hypot(...way) < 4) return;
        [held, wasTurned] = [[clientX, clientY], true];
        spin(false);
        return turned(-0.01 * way[0], 0.01 * way[1]);
      }
      if (isCube(view)) {
        const box = canvas.getBoundingClientRect(), unit = box.width / room;
        return tell(known(state, cube.pick(canvas, room, state, turn, [(clientX - box.left) / unit, (clientY - box.top) / unit])));
      }
      const box = canvas.getBoundingClientRect(), unit = box.width / place.across;
      look(Math.floor((event.clientX - box.left) / unit), Math.floor((event.clientY - box.top) / unit));
    });
    canvas.addEventListener("pointerleave", () => tell(null));
    canvas.addEventListener("click", () => { if (!wasTurned) choose(pointed); });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Enter") choose(pointed);
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      if (isCube(view)) return turned(-0.1 * step[0], -0.1 * step[1]);
      look(cursor[0] + step[0], cursor[1] + step[1]);
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || (pointed === null && chosen === null)) return;
    chosen = null;
    tell(null);
  });

  // Cubes turn by themselves until they are dragged or the button is pressed; never unasked for who wants little motion.
  const [wheel, kinds] = [document.getElementById("turn"), [...document.querySelectorAll("#views button[value]")]];
  const spins = () => wheel?.getAttribute("aria-pressed") === "true";
  const spin = (on) => {
    if (!wheel || spins() === on) return;
    wheel.setAttribute("aria-pressed", String(on));
    if (!on) return;
    let before = null;
    const next = (stamp) => {
      if (!spins() || !drawsCubes) return;
      turn.yaw = (turn.yaw + (before === null ? 0 : (stamp - before) / 3000)) % (2 * Math.PI);
      before = stamp;
      if (!running()) draw();
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  };
  for (const button of kinds) {
    button.addEventListener("click", () => {
      drawsCubes = button.value === "cube";
      kinds.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      wheel.disabled = !drawsCubes;
      spin(drawsCubes && !matchMedia("(prefers-reduced-motion: reduce)").matches);
      for (const view of views) view.canvas.classList.toggle("turned", isCube(view));
      tell(null);
    });
  }
  wheel?.addEventListener("click", () => spin(!spins()));

  // The job with a number is marked at a time at which it runs in as many of the machines as it ever does, if possible in all.
  const find = () => {
    const number = wanted.valueAsNumber, runs = shown().flatMap((view) => (view.state.byNumber.get(number) ?? []).map((i) => view.replay.jobs[i]));
    if (runs.length === 0) {
      const all = views.flatMap((view) => view.replay.jobs.map((job) => job[0]));
      const ends = all.reduce(([low, high], job) => [Math.min(low, job), Math.max(high, job)], [Infinity, -Infinity]);
      found.textContent = all.length === 0 ? "No job runs in this window."
        : `${Number.isInteger(number) ? `Job ${number} does not run` : "No such job runs"} in this window; its jobs have numbers from ${ends[0]} to ${ends[1]}.`;
      return;
    }
    const at = (time) => runs.filter((job) => job[2] <= time && job[3] > time).length;
    const starts = runs.map((job) => Math.max(from, Math.min(to, job[2]))).sort((a, b) => a - b);
    const best = starts.reduce((best, start) => at(start) > at(best) ? start : best, starts[0]);
    if (best < range[0] || best > range[1]) see(from, to);
    found.textContent = "";
    chosen = number;
    go(best);
    const job = runs.find((job) => job[2] <= best && job[3] > best) ?? runs[0];
    tell(job);
    pointed = null;
  };
  document.getElementById("find").addEventListener("click", find);
  wanted.addEventListener("keydown", (event) => { if (event.key === "Enter") find(); });

  // Overlays, each with a sentence that says what it shows.
  const explain = () => {
    for (const text of document.querySelectorAll("#meaning [data-of]")) text.hidden = !overlays.has(text.dataset.of);
  };
  for (const button of document.querySelectorAll("#overlays button")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      if (on) overlays.add(button.value);
      else overlays.delete(button.value);
      explain();
      draw();
    });
  }
  explain();

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
