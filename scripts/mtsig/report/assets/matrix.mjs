// The matrix: all numbers of the pair whose cell is pointed at, or reached with the arrow keys, beside that cell.
import { all, element } from "./dom.mjs";
import { blockOf, tooOld } from "./blocks.mjs";
import { writeAddress } from "./address.mjs";

const box = () => document.querySelector(".details");
let current = null;
let kept = false;

const hide = () => {
  box().hidden = true;
  if (current) current.classList.remove("at");
  current = null;
  kept = false;
};

// Below the cell where there is room, else above it; never beyond the edges of the window.
const put = (cell) => {
  const [one, two, gap] = [cell.getBoundingClientRect(), box().getBoundingClientRect(), 6];
  const left = Math.max(gap, Math.min(one.left, document.documentElement.clientWidth - two.width - gap));
  const below = one.bottom + gap + two.height <= window.innerHeight || one.top < two.height + gap;
  box().style.left = `${left + window.scrollX}px`;
  box().style.top = `${(below ? one.bottom + gap : one.top - two.height - gap) + window.scrollY}px`;
};

// The numbers of a pair as seen from its row; undefined where the two were not compared.
const numbersOf = (block, i, j) => (i < j ? block.pairs[`${i},${j}`] : block.pairs[`${j},${i}`]?.map((value, k) => block.turned[`${j},${i}`][k] ?? value));

const content = (section, metric, block, i, j) => {
  const values = numbersOf(block, i, j);
  const heading = element("h5", [element("bdi", block.names[i]), " against ", element("bdi", block.names[j])]);
  const list = element("dl");
  const [verdict, ...others] = values;
  block.labels.slice(1).forEach((label, k) => {
    if (others[k] !== "") list.append(element("div", [element("dt", label), element("dd", others[k])]));
  });
  const parts = [heading, element("p", verdict), list];
  if (section.querySelector("form.compare")) {
    const pair = { metric, a: block.names[i], b: block.names[j] };
    const link = element("a", "Compare their segments", { href: writeAddress(`${section.id}-compare`, pair) });
    link.addEventListener("click", hide);
    parts.push(link);
  }
  return parts;
};

const show = async (cell, place) => {
  if (current) current.classList.remove("at");
  current = cell;
  cell.classList.add("at");
  const section = cell.closest(".part");
  const metric = cell.closest(".metric").dataset.metric;
  let parts;
  try {
    const block = (await blockOf(section, "numbers"))[metric];
    if (!numbersOf(block, ...place)) return;
    parts = content(section, metric, block, ...place);
  } catch {
    parts = [element("p", tooOld)];
  }
  // Somebody may have moved on meanwhile.
  if (current !== cell) return;
  box().replaceChildren(...parts);
  box().hidden = false;
  put(cell);
};

export const startMatrices = () => {
  for (const table of all("table.matrix")) {
    const body = table.tBodies[0];
    // Its cells in rows; looked up when it is first used, since most never are.
    let rows = null;
    const grid = () => (rows ??= Array.from(body.rows, (row) => Array.from(row.cells).slice(1)));
    const placeOf = (cell) => {
      const i = cell.parentElement.sectionRowIndex;
      return [i, grid()[i].indexOf(cell)];
    };
    const usable = (target) => {
      const cell = target.closest("td");
      return cell && !cell.classList.contains("blank") ? cell : null;
    };
    const first = body.querySelector("td:not(.blank)");
    if (!first) continue;
    first.tabIndex = 0;
    const to = (cell) => {
      const before = body.querySelector("td[tabindex='0']");
      if (before) before.tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
    };
    body.addEventListener("pointerover", (event) => {
      const cell = usable(event.target);
      if (cell && !kept && event.pointerType !== "touch") show(cell, placeOf(cell));
    });
    body.addEventListener("pointerleave", (event) => {
      if (!kept && !body.contains(document.activeElement) && !box().contains(event.relatedTarget)) hide();
    });
    body.addEventListener("focusin", (event) => {
      const cell = usable(event.target);
      if (cell) show(cell, placeOf(cell));
    });
    body.addEventListener("click", (event) => {
      const cell = usable(event.target);
      if (!cell) return;
      to(cell);
      show(cell, placeOf(cell));
      kept = true;
    });
    body.addEventListener("keydown", (event) => {
      const cell = usable(event.target);
      if (!cell) return;
      if (event.key === "Enter") {
        kept = true;
        const link = box().querySelector("a");
        if (link && !box().hidden) link.focus();
        event.preventDefault();
        return;
      }
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      let [i, j] = placeOf(cell);
      do {
        i += step[0];
        j += step[1];
      } while (grid()[i]?.[j]?.classList.contains("blank"));
      const next = grid()[i]?.[j];
      kept = false;
      if (next) to(next);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || box().hidden) return;
    const cell = current;
    const inside = box().contains(document.activeElement);
    hide();
    if (inside) cell.focus({ preventScroll: true });
    box().hidden = true;
  });
  document.addEventListener("pointerdown", (event) => {
    if (!box().hidden && !box().contains(event.target) && !event.target.closest(".matrix")) hide();
  });
  document.addEventListener("focusin", (event) => {
    if (!box().hidden && !box().contains(event.target) && !event.target.closest(".matrix")) hide();
  });
  box().addEventListener("pointerleave", () => {
    if (!kept && !document.activeElement.closest(".matrix")) hide();
  });
};
