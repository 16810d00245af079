"use strict";
// Sorting, switching and looking up. All numbers and words come finished from the page's data.
(() => {
  const page = 20;
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  const element = (tag, text = "", attributes = {}) => {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };

  // The data of a test set, unpacked once.
  const unpacked = new Map();
  const dataOf = (part) => {
    if (!unpacked.has(part)) unpacked.set(part, unpack(part));
    return unpacked.get(part);
  };
  const unpack = async (part) => {
    const text = document.querySelector(`script.data[data-part="${part}"]`).textContent;
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const tooOld = "This browser is too old to unpack the data of this part.";

  // Tables that sort.
  const sortBy = (table, column) => {
    const head = table.tHead.rows[0].cells[column];
    const first = head.dataset.first || "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", order);
    const key = (row) => (column === 0 ? row.cells[0].textContent : row.cells[column].dataset.value);
    const rows = Array.from(table.tBodies[0].rows);
    rows.sort((one, two) => {
      const [a, b] = [key(one), key(two)];
      if (column === 0) return sign * (a < b ? -1 : a > b ? 1 : 0);
      // Undefined scores come last whatever the order.
      return (a === "") - (b === "") || sign * (Number(a) - Number(b));
    });
    table.tBodies[0].append(...rows);
  };
  for (const table of all("table.sortable")) {
    all("thead button", table).forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
  }

  // Tabs: one metric at a time on the screen, all of them on paper.
  for (const tabs of all(".tabs")) {
    const buttons = all("[role=tab]", tabs);
    const panels = buttons.map((button) => document.getElementById(button.getAttribute("aria-controls")));
    const choose = (chosen) => {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
        panels[i].style.display = i === chosen ? "" : "none";
      });
    };
    buttons.forEach((button, i) => {
      button.addEventListener("click", () => choose(i));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = (i + step + buttons.length) % buttons.length;
        choose(next);
        buttons[next].focus();
      });
    });
    choose(0);
    tabs.classList.toggle("off", buttons.length < 2);
  }

  // The matrix: details of the cell that is pointed at or reached with the arrow keys.
  const showPair = async (panel, i, j) => {
    const box = panel.querySelector(".details");
    const part = panel.closest(".part").id;
    let block;
    try {
      block = (await dataOf(part)).metrics[panel.dataset.metric];
    } catch {
      box.hidden = false;
      box.replaceChildren(element("p", tooOld));
      return;
    }
    const values = block.pairs[`${i},${j}`];
    if (!values) return;
    const heading = element("h5");
    heading.append(element("bdi", block.names[i]), " against ", element("bdi", block.names[j]));
    const list = element("dl");
    block.labels.forEach((label, k) => {
      if (values[k] === "") return;
      const line = element("div");
      line.append(element("dt", label), element("dd", values[k]));
      list.append(line);
    });
    const parts = [heading, list];
    const form = document.querySelector(`form.compare[data-part="${part}"]`);
    if (form) {
      const button = element("button", "Compare their segments", { type: "button" });
      button.addEventListener("click", () => {
        form.elements.metric.value = panel.dataset.metric;
        form.elements.a.value = block.names[i];
        form.elements.b.value = block.names[j];
        form.dispatchEvent(new Event("change"));
        form.scrollIntoView({ block: "start" });
        form.elements.a.focus({ preventScroll: true });
      });
      parts.push(button);
    }
    box.hidden = false;
    box.replaceChildren(...parts);
  };
  for (const matrix of all("table.matrix")) {
    const panel = matrix.closest(".metric");
    const rows = Array.from(matrix.tBodies[0].rows).map((row) => Array.from(row.cells).slice(1));
    const place = (cell) => [cell.parentElement.rowIndex - 1, cell.cellIndex - 1];
    let marked = null;
    const mark = (cell) => {
      if (!cell || cell.classList.contains("blank") || cell === marked) return;
      if (marked) marked.classList.remove("at");
      marked = cell;
      cell.classList.add("at");
      showPair(panel, ...place(cell));
    };
    // One cell can be reached with Tab; the arrow keys move from it.
    const entry = rows[0].find((cell) => !cell.classList.contains("blank"));
    if (entry) entry.tabIndex = 0;
    const body = matrix.tBodies[0];
    body.addEventListener("mouseover", (event) => mark(event.target.closest("td")));
    body.addEventListener("click", (event) => mark(event.target.closest("td")));
    body.addEventListener("focusin", (event) => mark(event.target.closest("td")));
    body.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const cell = event.target.closest("td");
      if (!step || !cell) return;
      event.preventDefault();
      let [i, j] = place(cell);
      do {
        i += step[0];
        j += step[1];
      } while (rows[i] && rows[i][j] && rows[i][j].classList.contains("blank"));
      const next = rows[i] && rows[i][j];
      if (!next) return;
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  // Two systems: documents and segments.
  const shown = (value, places) => (value === null ? "undefined" : (value / 10 ** places).toFixed(places).replace("-", "−"));
  const signed = (value, places) => (value === null ? "undefined" : (value > 0 ? "+" : "") + shown(value, places));
  const difference = (one, two) => (one == null || two == null ? null : one - two);

  const orders = {
    any: (differences) => (i, j) => size(differences[j]) - size(differences[i]) || i - j,
    a: (differences, better) => (i, j) => gain(differences[j], better) - gain(differences[i], better) || i - j,
    b: (differences, better) => (i, j) => gain(differences[j], -better) - gain(differences[i], -better) || i - j,
    text: () => (i, j) => i - j,
  };
  const size = (value) => (value === null ? -1 : Math.abs(value));
  const gain = (value, better) => (value === null ? -Infinity : value * (better || 1));

  const textOf = (label, text, own) => {
    const words = element("dd", text === null ? "(missing)" : text === "" ? "(empty)" : text, { dir: "auto" });
    words.className = text === null || text === "" ? "none" : own ? "own" : "";
    return [element("dt", label), words];
  };

  const documentTable = (block, a, b) => {
    const [one, two] = [block.scores[a], block.scores[b]];
    if (!one || !two) return [];
    const differences = one.map((value, i) => difference(value, two[i]));
    const order = differences.map((_, i) => i).sort(orders.any(differences));
    const table = element("table", "", { class: "plain" });
    const head = table.createTHead().insertRow();
    for (const title of ["Document", "Segments", "A", "B", "A − B"]) head.append(element("th", title, { scope: "col" }));
    const body = table.createTBody();
    for (const i of order.slice(0, page)) {
      const [name, domain, number] = block.documents[i];
      const row = body.insertRow();
      const heading = element("th", "", { scope: "row", title: name });
      heading.append(element("bdi", domain ? `${domain}: ${name}` : name));
      row.append(heading, element("td", number));
      for (const text of [shown(one[i], block.places), shown(two[i], block.places), signed(differences[i], block.places)]) {
        row.append(element("td", text));
      }
    }
    const scroll = element("div", "", { class: "scroll" });
    scroll.append(table);
    const more = order.length > page ? [element("p", `The ${page} of ${order.length} documents with the largest differences.`, { class: "muted" })] : [];
    return [element("h4", "Documents"), scroll, ...more];
  };

  const segment = (data, position, i, a, b, metric, differences) => {
    const places = data.places[metric];
    const box = element("article", "", { class: "segment" });
    const heading = element("h5");
    heading.append(element("span", `${position}. segment ${data.ids[i]}`));
    if (data.documents[i] !== null) heading.append(element("span", data.documents[i], { class: "muted" }));
    if (data.domains[i] !== null) heading.append(element("span", data.domains[i], { class: "muted" }));
    heading.append(element("span", `A − B: ${signed(differences[i], places)}`, { class: "difference" }));
    const list = element("dl");
    if (data.sources[i] !== null) list.append(...textOf("source", data.sources[i]));
    for (const [name, texts] of Object.entries(data.references)) list.append(...textOf(name, texts[i]));
    for (const name of [a, b]) {
      const score = data.scores[metric][name] ? shown(data.scores[metric][name][i], places) : "";
      list.append(...textOf(`${name} ${score}`, data.hypotheses[name] ? data.hypotheses[name][i] : null, true));
    }
    box.append(heading, list);
    return box;
  };

  const compare = async (form) => {
    const place = document.querySelector(`.compared[data-part="${form.dataset.part}"]`);
    const [metric, a, b, order] = ["metric", "a", "b", "order"].map((name) => form.elements[name].value);
    let data;
    try {
      data = await dataOf(form.dataset.part);
    } catch {
      place.replaceChildren(element("p", tooOld, { class: "note" }));
      return;
    }
    place.replaceChildren();
    const block = data.metrics[metric];
    if (block.documents) place.append(...documentTable(block.documents, a, b));
    const browser = data.browser;
    if (!browser || !browser.scores[metric]) return;
    const none = browser.ids.map(() => null);
    const [one, two] = [a, b].map((name) => browser.scores[metric][name] || none);
    const differences = one.map((value, i) => difference(value, two[i]));
    const ordered = differences.map((_, i) => i).sort(orders[order](differences, block.better));
    const more = element("div", "", { class: "more" });
    let at = 0;
    const showMore = () => {
      const next = ordered.slice(at, at + page);
      more.before(...next.map((i, k) => segment(browser, at + k + 1, i, a, b, metric, differences)));
      at += next.length;
      more.replaceChildren(element("p", `${at} of ${ordered.length} segments.`, { class: "muted" }));
      if (at < ordered.length) {
        const button = element("button", "Show more", { type: "button" });
        button.addEventListener("click", showMore);
        more.append(button);
      }
    };
    place.append(element("h4", "Segments"), more);
    showMore();
  };
  for (const form of all("form.compare")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => compare(form));
    // Unpacking a large test set takes a moment: not before somebody comes near.
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        watcher.disconnect();
        compare(form);
      }
    }, { rootMargin: "600px" });
    watcher.observe(form);
  }
})();
