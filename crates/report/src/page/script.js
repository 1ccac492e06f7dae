"use strict";
(() => {
  // The theme: the reader's choice, until it is changed here.
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    document.dispatchEvent(new Event("theme"));
  });

  // Tables sort by the column whose title is pressed, numbers by value; the second time the other way round. Cells without a
  // number come last both times.
  const byText = new Intl.Collator("en", { numeric: true }).compare;
  const sortable = (table) => {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
    heads.forEach((head, column) => {
      const isWords = head.classList.contains("words");
      head.querySelector("button").addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const compare = (a, b) => {
          const [x, y] = [a.cells[column], b.cells[column]];
          if (isWords) return up ? byText(x.textContent, y.textContent) : byText(y.textContent, x.textContent);
          const [m, n] = [x.dataset.value, y.dataset.value];
          if (m === undefined || n === undefined) return (m === undefined) - (n === undefined);
          return up ? m - n : n - m;
        };
        body.append(...rows.slice().sort(compare));
      });
    });
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    sortable(table);
    const before = table.closest(".scroll").previousElementSibling;
    const more = before && before.querySelector(".columns");
    if (more) more.addEventListener("click", () => {
      const isAll = table.classList.toggle("all");
      more.setAttribute("aria-pressed", isAll);
      look(table.closest(".scroll"));
    });
  }

  // The meaning of a number appears where its title has the pointer or the focus; Escape hides it.
  const tip = document.getElementById("tip");
  let told = null;
  const place = () => {
    if (!told) return;
    const at = told.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const below = at.bottom + 6 + size.height < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(at.left, root.clientWidth - size.width - 8))}px`;
    tip.style.top = `${below ? at.bottom + 6 : Math.max(4, at.top - size.height - 6)}px`;
  };
  const tell = (button) => {
    told = button;
    tip.hidden = !button;
    if (!button) return;
    tip.textContent = document.getElementById(button.getAttribute("aria-describedby")).textContent;
    place();
  };
  for (const button of document.querySelectorAll("th button[aria-describedby]")) {
    button.addEventListener("pointerenter", () => tell(button));
    button.addEventListener("focus", () => tell(button));
    button.addEventListener("pointerleave", () => tell(null));
    button.addEventListener("blur", () => tell(null));
  }
  // So do the words of a point of a figure, under the pointer or the finger.
  const words = new WeakMap();
  for (const title of document.querySelectorAll(".plots svg g > title")) {
    words.set(title.parentElement, title.textContent);
    title.remove();
  }
  document.addEventListener("pointerover", (event) => {
    const group = event.target.closest(".plots svg g"), text = group && words.get(group);
    if (text) {
      told = group;
      tip.textContent = text;
      tip.hidden = false;
      place();
    } else if (told && words.has(told)) tell(null);
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") tell(null); });
  addEventListener("scroll", place, { capture: true, passive: true });

  // What is wider than its place can be reached by the keyboard, and a line below a table says how much is out of sight.
  const look = (scroll) => {
    const table = scroll.querySelector("table"), isWide = scroll.scrollWidth > scroll.clientWidth + 1;
    if (isWide) scroll.tabIndex = 0;
    else scroll.removeAttribute("tabindex");
    if (!table || !table.tHead) return;
    let line = scroll.nextElementSibling;
    if (!line || !line.classList.contains("more")) {
      line = document.createElement("p");
      line.className = "more";
      line.setAttribute("aria-hidden", "true");
      scroll.after(line);
    }
    const right = scroll.getBoundingClientRect().right;
    const out = [...table.tHead.rows[0].cells].filter((cell) => cell.getBoundingClientRect().right > right + 2).length;
    line.textContent = out > 0 ? `${out} more column${out === 1 ? "" : "s"} to the right →` : "";
    line.hidden = !isWide;
  };
  const scrolls = [...document.querySelectorAll(".scroll")];
  for (const scroll of scrolls) scroll.addEventListener("scroll", () => look(scroll), { passive: true });
  const resized = new ResizeObserver((entries) => entries.forEach((entry) => look(entry.target)));
  scrolls.forEach((scroll) => resized.observe(scroll));
  // What is out of sight is not observed before it is painted, but the keyboard goes there.
  scrolls.forEach(look);

  // Names in the table choose what the figures highlight; the legends beside the figures have the chosen ones. The oldest choice makes
  // room for a ninth.
  const MOST = 8, choices = [...document.querySelectorAll("button.choice")], legends = [...document.querySelectorAll(".names")];
  const drawn = new Map();
  for (const element of document.querySelectorAll(".plots figure .look")) {
    const key = [...element.classList].find((name) => name.startsWith("look-"));
    if (!drawn.has(key)) drawn.set(key, []);
    drawn.get(key).push(element);
  }
  const chosen = new Set(choices.filter((choice) => choice.getAttribute("aria-pressed") === "true").map((choice) => choice.dataset.look));
  // No two chosen ones have the same colour, which is the first number of a look.
  const colour = (key) => key.split("-")[1];
  const choose = (key) => {
    if (!chosen.delete(key)) {
      for (const other of [...chosen]) if (colour(other) === colour(key)) chosen.delete(other);
      if (chosen.size >= MOST) chosen.delete([...chosen][0]);
      chosen.add(key);
    }
    highlight();
  };
  // Legends of few names have all of them.
  const looks = [...new Set(choices.map((choice) => choice.dataset.look))], hasAll = looks.length <= 12;
  const highlight = () => {
    for (const choice of choices) choice.setAttribute("aria-pressed", chosen.has(choice.dataset.look));
    for (const [key, elements] of drawn) {
      for (const element of elements) {
        element.classList.toggle("on", chosen.has(key));
        // What is highlighted lies on top of the rest.
        const whole = element.parentElement.childElementCount === 1 ? element.parentElement : element;
        if (chosen.has(key)) whole.parentElement.append(whole);
      }
    }
    for (const legend of legends) legend.replaceChildren(...(hasAll ? looks : [...chosen]).map((key) => {
      const button = document.createElement("button"), choice = choices.find((other) => other.dataset.look === key);
      button.type = "button";
      button.append(...[...choice.childNodes].map((node) => node.cloneNode(true)));
      button.className = "named";
      button.setAttribute("aria-pressed", chosen.has(key));
      button.addEventListener("click", () => choose(key));
      return button;
    }));
  };
  if (choices.length > 0) {
    document.querySelectorAll(".plots").forEach((plots) => plots.classList.add("chosen"));
    for (const choice of choices) {
      // The whole row chooses, too; selected text stays selected.
      const row = choice.closest("tr");
      row.classList.add("chooses");
      row.addEventListener("click", () => { if (getSelection().isCollapsed) choose(choice.dataset.look); });
    }
    highlight();
  }

  const others = document.getElementById("others");
  if (others && looks.length <= MOST) others.parentElement.hidden = true;
  if (others) others.addEventListener("click", () => {
    const isOn = document.querySelector(".plots:not(.one)").classList.toggle("others");
    others.setAttribute("aria-pressed", isOn);
  });

  // The table of a study: the rows of the table of all replays, with a column for each allocator, or for each place if there are
  // more than eight allocators. Figures show the panels of the chosen place, scheduler and load.
  const pivot = document.getElementById("pivot");
  const study = () => {
    root.classList.add("study");
    const source = document.querySelector("details table.sortable"), heads = [...source.tHead.rows[0].cells];
    const title = (i) => heads[i].firstChild.firstChild.textContent, text = (row, i) => row.cells[i].textContent;
    const rows = [...source.tBodies[0].rows], unique = (values) => [...new Set(values)];
    const columns = heads.map((head, i) => i).slice(1);
    const isWords = (i) => heads[i].classList.contains("words"), isPlace = (i) => heads[i].classList.contains("place");
    const measures = columns.filter((i) => !isWords(i)), keys = columns.filter(isWords);
    const places = keys.some(isPlace) ? keys.filter(isPlace) : keys, others = keys.filter((i) => !places.includes(i));
    const place = (row) => places.map((i) => text(row, i)).join(" · ");
    const bar = document.getElementById("choices"), told = document.getElementById("measured");
    const select = (name, options, parent = bar) => {
      const label = document.createElement("label"), list = document.createElement("select");
      label.append(`${name} `, list);
      list.append(...options.map(([value, words]) => new Option(words, value)));
      list.addEventListener("change", show);
      parent.append(label);
      return list;
    };
    const measure = select("number", measures.map((i) => [i, heads[i].textContent.trim()]));
    const lists = new Map(others.map((i) => [i, select(title(i), unique(rows.map((row) => text(row, i))).map((value) => [value, title(i) === "scale" ? `arrivals ×${value}` : value]))]));
    const kinds = document.getElementById("kinds"), figures = [...document.querySelectorAll(".plots:not(.one) figure")];
    const where = kinds && select(places.map(title).join(" · "), unique(rows.map(place)).map((name) => [name, name]), kinds);
    const cell = (tag, words, classes) => {
      const element = document.createElement(tag);
      element.className = classes;
      element.append(words);
      return element;
    };
    const head = (words, classes) => {
      const button = document.createElement("button");
      button.type = "button";
      const element = cell("th", button, classes);
      button.append(words);
      element.scope = "col";
      return element;
    };
    function show() {
      const number = Number(measure.value), about = heads[number].querySelector("button").getAttribute("aria-describedby");
      told.textContent = about ? document.getElementById(about).textContent : "";
      const shown = rows.filter((row) => [...lists].every(([i, list]) => text(row, i) === list.value));
      const names = unique(rows.map((row) => text(row, 0))), all = unique(shown.map(place)), isWide = names.length > 8;
      const table = document.createElement("table"), body = table.createTBody(), first = document.createElement("tr");
      table.className = "sortable";
      table.createTHead().append(first);
      first.append(head(isWide ? title(0) : places.map(title).join(" · "), "words"), ...(isWide ? all : names).map((name) => head(name, "")));
      for (const name of isWide ? names : all) {
        const line = body.insertRow(), header = cell("th", name, "words");
        header.scope = "row";
        line.append(header, ...(isWide ? all : names).map((other) => {
          const row = shown.find((row) => text(row, 0) === (isWide ? name : other) && place(row) === (isWide ? other : name));
          const copy = row ? row.cells[number].cloneNode(true) : cell("td", "-", "");
          copy.classList.remove("extra");
          return copy;
        }));
      }
      sortable(table);
      pivot.replaceChildren(table);
      look(pivot);
      // A panel is shown unless its name has a value that is not chosen.
      const now = new Set([...lists.values()].map((list) => list.value).concat(where ? where.value.split(" · ") : []));
      const known = new Set(rows.flatMap((row) => keys.map((i) => text(row, i))));
      for (const part of document.querySelectorAll(".part")) {
        part.hidden = part.dataset.panel.replace("arrivals ×", "").split(/ · |, /).some((value) => known.has(value) && !now.has(value));
      }
      for (const figure of figures) {
        const parts = [...figure.querySelectorAll(".part")];
        figure.classList.toggle("none", parts.length > 0 && parts.every((part) => part.hidden));
      }
    }
    if (kinds) {
      kinds.hidden = false;
      kinds.append(...figures.map((figure, i) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = figure.id;
        button.title = figure.querySelector("svg").getAttribute("aria-label").split(" · ")[0];
        figure.hidden = i > (innerWidth < 640 ? 1 : 2);
        button.setAttribute("aria-pressed", !figure.hidden);
        button.addEventListener("click", () => {
          figure.hidden = !figure.hidden;
          button.setAttribute("aria-pressed", !figure.hidden);
        });
        return button;
      }));
    }
    show();
  };
  if (pivot) study();

  // Commands are copied; where the browser forbids it they are selected.
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.of);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
    });
  }

  // On paper all meanings are shown.
  const closed = () => [...document.querySelectorAll("details:not([open])")];
  let opened = [];
  addEventListener("beforeprint", () => { opened = closed(); opened.forEach((details) => { details.open = true; }); });
  addEventListener("afterprint", () => { opened.forEach((details) => { details.open = false; }); });
})();
