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
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    // Sorted rows are in no groups; a button brings the groups back.
    const whole = [...body.rows], groups = whole.filter((row) => row.classList.contains("group"));
    const rows = whole.filter((row) => !row.classList.contains("group"));
    const before = table.closest(".scroll").previousElementSibling;
    const tools = before && before.classList.contains("tools") ? before : null;
    const back = tools && tools.querySelector(".groups");
    const byText = new Intl.Collator("en", { numeric: true }).compare;
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
        groups.forEach((row) => { row.hidden = true; });
        if (back) back.hidden = false;
        body.append(...rows.slice().sort(compare));
      });
    });
    if (back) back.addEventListener("click", () => {
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      groups.forEach((row) => { row.hidden = false; });
      body.append(...whole);
      back.hidden = true;
    });
    const more = tools && tools.querySelector(".columns");
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
  const choose = (key) => {
    if (!chosen.delete(key)) {
      if (chosen.size >= MOST) chosen.delete([...chosen][0]);
      chosen.add(key);
    }
    highlight();
  };
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
    for (const legend of legends) legend.replaceChildren(...[...chosen].map((key) => {
      const button = document.createElement("button"), choice = choices.find((other) => other.dataset.look === key);
      button.type = "button";
      button.append(...[...choice.childNodes].map((node) => node.cloneNode(true)));
      button.setAttribute("aria-label", `${button.textContent}: highlight no longer`);
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
