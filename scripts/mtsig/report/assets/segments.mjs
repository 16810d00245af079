// Two systems, document by document and segment by segment.
import { all, element } from "./dom.mjs";
import { blockOf, textBlocks, textsOf, tooOld } from "./blocks.mjs";
import { writeAddress } from "./address.mjs";
import { contains, difference, neighbours, ordered, passes } from "./choice.mjs";
import { marked } from "./texts.mjs";

const page = 20;
const shown = (value, places) => (value === null ? "undefined" : (value / 10 ** places).toFixed(places).replace("-", "−"));
const signed = (value, places) => (value === null ? "undefined" : (value > 0 ? "+" : "") + shown(value, places));

// A text, with what differs from another one marked.
const textOf = (text, other = null) => {
  if (text === null) return element("p", "(missing)", { class: "text none" });
  if (text === "") return element("p", "(empty)", { class: "text none" });
  const runs = other === null ? [[text, false]] : marked(text, other);
  return element("p", runs.map(([part, differs]) => (differs ? element("mark", part) : part)), { class: "text", dir: "auto" });
};

const labelled = (label, text, kind = "") => element("div", [element("h6", label), text], { class: `side ${kind}` });

const documentTable = (block, a, b) => {
  const [one, two] = [block.scores[a], block.scores[b]];
  if (!one || !two) return [];
  const differences = one.map((value, i) => difference(value, two[i]));
  const order = ordered(differences.map((_, i) => i), "any", { differences });
  const table = element("table", "", { class: "plain" });
  table.createTHead().insertRow().append(...["Document", "Segments", "A", "B", "A − B"].map((title) => element("th", title, { scope: "col" })));
  const body = table.createTBody();
  for (const i of order.slice(0, page)) {
    const [name, domain, number] = block.documents[i];
    const heading = element("th", element("bdi", domain ? `${domain}: ${name}` : name), { scope: "row", title: name });
    const numbers = [number, shown(one[i], block.places), shown(two[i], block.places), signed(differences[i], block.places)];
    body.insertRow().append(heading, ...numbers.map((text) => element("td", String(text), { class: "right" })));
  }
  const more = order.length > page ? [element("p", `The ${page} of ${order.length} documents with the largest differences.`, { class: "muted" })] : [];
  const inside = [element("summary", `Documents (${order.length})`), element("div", table, { class: "scroll" }), ...more];
  return [element("details", inside)];
};

// All scores of one segment: a line for each metric.
const scoreTable = (index, i, a, b) => {
  const table = element("table", "", { class: "plain scores" });
  table.createTHead().insertRow().append(...["", "A", "B", "A − B"].map((title) => element("th", title, { scope: "col" })));
  const body = table.createTBody();
  for (const [metric, scores] of Object.entries(index.scores)) {
    const places = index.places[metric];
    const [one, two] = [a, b].map((name) => (scores[name] ? scores[name][i] : null));
    const numbers = [shown(one, places), shown(two, places), signed(difference(one, two), places)];
    body.insertRow().append(element("th", metric, { scope: "row" }), ...numbers.map((text) => element("td", text, { class: "right" })));
  }
  return table;
};

const outputOf = (index, texts, name) => {
  const at = index.systems.indexOf(name);
  return at < 0 ? null : texts[2][at];
};

const segment = async (view, i, position) => {
  const { section, index, values, differences } = view;
  const { a, b, metric, marks } = values;
  const texts = await textsOf(section, index, i);
  const [source, references] = texts;
  const [one, two] = [a, b].map((name) => outputOf(index, texts, name));
  const compared = marks === "reference" ? references.find((text) => text !== null) ?? null : null;
  const others = { other: [two, one], reference: [compared, compared], none: [null, null] }[marks] || [two, one];
  const address = writeAddress(`${section.id}-compare`, { metric, a, b, marks, segment: String(index.segments[i]) });
  const box = element("article", "", { class: "segment" });
  const heading = element("h5", [element("a", `${position}. segment ${index.ids[i]}`, { href: address })]);
  for (const name of [index.documents[i], index.domains[i]]) if (name !== null) heading.append(element("span", name, { class: "muted" }));
  heading.append(element("span", `${metric}, A − B: ${signed(differences[i], index.places[metric])}`, { class: "difference" }));
  const grid = element("div", "", { class: "sides" });
  if (source !== null) grid.append(labelled("source", textOf(source), "wide"));
  index.references.forEach((name, k) => grid.append(labelled(name, textOf(references[k]), "wide")));
  grid.append(labelled(`A: ${a}`, textOf(one, others[0]), "own"), labelled(`B: ${b}`, textOf(two, others[1]), "own"));
  box.append(heading);
  for (const message of index.findings[index.segments[i]] || []) box.append(element("p", message, { class: "note" }));
  box.append(grid, element("details", [element("summary", "Scores"), scoreTable(index, i, a, b)]));
  const near = neighbours(index, i).filter((j) => index.block[j] < textBlocks(section));
  if (near.length) {
    const context = element("details", element("summary", "Before and after"));
    context.addEventListener("toggle", async () => {
      if (context.children.length > 1) return;
      for (const j of near) {
        const around = await textsOf(section, index, j);
        const sides = [around[0], around[1].find((text) => text !== null) ?? null].filter((text) => text !== null);
        context.append(
          element("h6", j < i ? "before" : "after"),
          ...sides.map((text) => textOf(text)),
          element("div", [a, b].map((name, k) => labelled("AB"[k], textOf(outputOf(index, around, name)), "own")), { class: "sides" }),
        );
      }
    });
    box.append(context);
  }
  return box;
};

const valuesOf = (form) => {
  const values = {};
  for (const field of form.elements) {
    if (field.name) values[field.name] = field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value;
  }
  return { ...values, segment: form.dataset.segment || "" };
};

// A slower answer to an earlier question must not replace the answer to a later one.
const questions = new WeakMap();

const compare = async (form) => {
  const place = document.querySelector(`.compared[data-part="${form.dataset.part}"]`);
  const section = form.closest(".part");
  const question = {};
  questions.set(form, question);
  const values = valuesOf(form);
  const { metric, a, b, order } = values;
  const parts = [];
  try {
    const block = (await blockOf(section, "numbers"))[metric];
    if (block.documents && !values.segment) parts.push(...documentTable(block.documents, a, b));
    const index = section.querySelector("script.index") && (await blockOf(section, "index"));
    if (index && index.scores[metric]) {
      const [one, two] = [a, b].map((name) => index.scores[metric][name] || index.ids.map(() => null));
      const differences = one.map((value, i) => difference(value, two[i]));
      const known = { one, two, differences, better: block.better, scale: 10 ** index.places[metric] };
      const held = index.ids.map((_, i) => i).filter((i) => index.block[i] < textBlocks(section));
      let rows = held.filter((i) => passes(index, i, values, known));
      if (values.search) {
        const found = [];
        for (const i of rows) {
          const texts = await textsOf(section, index, i);
          const own = [texts[0], ...texts[1], outputOf(index, texts, a), outputOf(index, texts, b)];
          if (contains(values.search, index.ids[i], own)) found.push(i);
        }
        rows = found;
      }
      parts.push(...(await browser({ section, index, values, differences }, ordered(rows, order, known), held.length)));
    }
  } catch {
    parts.splice(0, parts.length, element("p", tooOld, { class: "note" }));
  }
  if (questions.get(form) === question) place.replaceChildren(...parts);
};

const browser = async (view, rows, held) => {
  const { index, values } = view;
  const parts = [element("h4", "Segments")];
  if (held < index.total) {
    parts.push(element("p", `The page holds ${held} of ${index.total} segments: those on which the systems' scores differ most.`, { class: "note" }));
  }
  if (values.segment) {
    const link = element("a", "Show all", { href: writeAddress(`${view.section.id}-compare`, { ...values, segment: "" }) });
    parts.push(element("p", rows.length ? ["One segment. ", link] : ["The page does not hold this segment. ", link]));
  }
  const more = element("div", "", { class: "more" });
  let at = 0;
  const showMore = async () => {
    const next = rows.slice(at, at + page);
    const boxes = [];
    for (const [k, i] of next.entries()) boxes.push(await segment(view, i, at + k + 1));
    at += next.length;
    const button = element("button", "Show more", { type: "button" });
    button.addEventListener("click", async () => more.before(...(await showMore())));
    more.replaceChildren(element("p", `${at} of ${rows.length} segments.`, { class: "muted" }), ...(at < rows.length ? [button] : []));
    return boxes;
  };
  return [...parts, ...(await showMore()), more];
};

// Set a form from an address and show what it asks for.
export const openComparison = async (section, values) => {
  const form = section.querySelector("form.compare");
  if (!form) return;
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox") field.checked = Boolean(values[field.name]);
    else if (field.tagName === "SELECT") {
      const known = Array.from(field.options, (option) => option.value);
      const usual = Array.from(field.options).findIndex((option) => option.defaultSelected);
      field.selectedIndex = known.includes(values[field.name]) ? known.indexOf(values[field.name]) : Math.max(0, usual);
    } else field.value = values[field.name] || "";
  }
  form.dataset.segment = values.segment || "";
  await compare(form);
};

export const startComparisons = (visit) => {
  for (const form of all("form.compare")) {
    form.hidden = false;
    const section = form.closest(".part");
    const ask = (replace) => {
      form.dataset.segment = "";
      const values = valuesOf(form);
      visit(`${section.id}-compare`, values, replace);
      compare(form);
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    let waiting;
    form.addEventListener("input", (event) => {
      // Typing asks when it pauses; what is chosen from a list asks by its change.
      if (!["search", "number"].includes(event.target.type)) return;
      clearTimeout(waiting);
      waiting = setTimeout(() => ask(true), 250);
    });
    form.addEventListener("change", (event) => {
      if (!["search", "number"].includes(event.target.type)) ask(false);
    });
    form.addEventListener("reset", () => setTimeout(() => ask(false)));
    // Unpacking a large test set takes a moment: not before somebody comes near.
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        watcher.disconnect();
        if (!questions.has(form)) compare(form);
      }
    }, { rootMargin: "600px" });
    watcher.observe(form);
  }
};
