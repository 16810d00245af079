// Tables that sort, and one metric at a time.
import { all, choose, element } from "./dom.mjs";

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

export const startTables = () => {
  for (const table of all("table.sortable")) {
    all("thead button", table).forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
  }
};

// Choose the tab whose panel holds an element.
export const openTab = (target) => {
  const panel = target.closest("[role=tabpanel]");
  if (!panel) return;
  const tabs = all("[role=tab]", panel.parentElement);
  for (const tab of tabs) {
    const own = tab.getAttribute("aria-controls") === panel.id;
    tab.setAttribute("aria-selected", String(own));
    tab.tabIndex = own ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).classList.toggle("closed", !own);
  }
};

export const startTabs = (visit) => {
  for (const tabs of all(".tabs")) {
    const buttons = all("[role=tab]", tabs);
    const panels = buttons.map((button) => document.getElementById(button.getAttribute("aria-controls")));
    buttons.forEach((button, i) => {
      button.addEventListener("click", () => {
        openTab(panels[i]);
        visit(panels[i].id);
      });
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = (i + step + buttons.length) % buttons.length;
        openTab(panels[next]);
        choose(buttons, next);
        visit(panels[next].id);
      });
    });
    openTab(panels[0]);
    tabs.classList.toggle("off", buttons.length < 2);
  }
};

// The overview: filtered by names and metric; systems in the order of a row, rows in the order of a system.
export const startOverview = () => {
  const table = document.querySelector("table.overview");
  if (!table) return;
  const form = document.querySelector("form.filter");
  const head = table.tHead.rows[0];
  const rows = Array.from(table.tBodies[0].rows);
  const columns = Array.from(head.cells).slice(2);
  const cells = new Map([head, ...rows].map((row) => [row, Array.from(row.cells).slice(2)]));
  const place = (cell) => (cell.dataset.place === undefined ? Infinity : Number(cell.dataset.place));
  const order = (items, key) => items.map((_, i) => i).sort((i, j) => (key(i) === key(j) ? i - j : key(i) < key(j) ? -1 : 1));

  const arrange = (permutation) => {
    for (const [row, own] of cells) row.append(...permutation.map((i) => own[i]));
  };
  const button = (cell, words, act) => {
    const made = element("button", Array.from(cell.childNodes), { type: "button", title: words });
    made.addEventListener("click", act);
    cell.append(made);
  };
  const unsorted = () => [...columns, ...all("[aria-sort]", table)].forEach((cell) => cell.removeAttribute("aria-sort"));
  columns.forEach((column, i) =>
    button(column, `${column.dataset.name}: rows in the order of its ranks`, () => {
      unsorted();
      column.setAttribute("aria-sort", "ascending");
      table.tBodies[0].append(...order(rows, (k) => place(cells.get(rows[k])[i])).map((k) => rows[k]));
    }),
  );
  rows.forEach((row) =>
    button(row.cells[1], "Systems in this order", () => arrange(order(columns, (i) => place(cells.get(row)[i])))),
  );

  const filter = () => {
    const name = form.elements.name.value.toLowerCase();
    const metric = form.elements.metric ? form.elements.metric.value : "";
    const holds = (text) => text.toLowerCase().includes(name);
    const someRow = rows.some((row) => holds(row.dataset.part));
    const someColumn = columns.some((column) => holds(column.dataset.name));
    const byRow = (row) => (metric === "" || row.dataset.metric === metric) && (someRow ? holds(row.dataset.part) : someColumn);
    rows.forEach((row) => (row.hidden = !byRow(row)));
    columns.forEach((column, i) => {
      const shown = someColumn ? holds(column.dataset.name) : someRow;
      for (const own of cells.values()) own[i].hidden = !shown;
    });
    const [left, across] = [rows, columns].map((items) => items.filter((item) => !item.hidden).length);
    form.querySelector("output").textContent = `${left} of ${rows.length} rows, ${across} of ${columns.length} systems`;
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    unsorted();
    arrange(columns.map((_, i) => i));
    table.tBodies[0].append(...rows);
    setTimeout(filter);
  });
  filter();
};
