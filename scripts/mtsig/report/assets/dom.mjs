// Elements, made without markup: what names and texts hold is never parsed.
export const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

export const element = (tag, content = "", attributes = {}) => {
  const made = document.createElement(tag);
  made.append(...[content].flat());
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

export const choose = (cells, at) => {
  cells.forEach((cell, i) => (cell.tabIndex = i === at ? 0 : -1));
  cells[at].focus();
};
