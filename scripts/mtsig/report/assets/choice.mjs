// Which segments are shown, and in which order.
export const difference = (one, two) => (one == null || two == null ? null : one - two);

const size = (value) => (value === null ? -1 : Math.abs(value));
const gain = (value, better) => (value === null ? -Infinity : value * (better || 1));
const worst = (value, better) => (value == null ? Infinity : value * (better || 1));

// `better` is 1 where high scores are, -1 where low ones are, and 0 where a metric has no direction.
export const ordered = (rows, order, { one, two, differences, better }) => {
  const keys = {
    any: (i) => -size(differences[i]),
    a: (i) => -gain(differences[i], better),
    b: (i) => -gain(differences[i], -(better || 1)),
    "low-a": (i) => worst(one[i], better),
    "low-b": (i) => worst(two[i], better),
    text: () => 0,
  };
  const key = keys[order] || keys.any;
  const known = new Map(rows.map((i) => [i, key(i)]));
  return [...rows].sort((i, j) => (known.get(i) === known.get(j) ? i - j : known.get(i) - known.get(j)));
};

const number = (text) => (text === undefined || text === "" || Number.isNaN(Number(text)) ? null : Number(text));

// Whether a segment meets what the form asks for, as far as this needs no text.
export const passes = (index, i, wanted, { differences, better, scale }) => {
  const value = differences[i];
  const [shortest, longest, least] = [wanted.shortest, wanted.longest, wanted.size].map(number);
  if (wanted.segment && String(index.segments[i]) !== wanted.segment) return false;
  if (wanted.domain && index.domains[i] !== wanted.domain) return false;
  if (wanted.document && !(index.documents[i] || "").toLowerCase().includes(wanted.document.toLowerCase())) return false;
  if (shortest !== null && index.lengths[i] < shortest) return false;
  if (longest !== null && index.lengths[i] > longest) return false;
  if (least !== null && !(value !== null && Math.abs(value) >= least * scale - 1e-9)) return false;
  if (wanted.better === "a" && !(value !== null && value * (better || 1) > 0)) return false;
  if (wanted.better === "b" && !(value !== null && value * (better || 1) < 0)) return false;
  if (wanted.better === "tie" && value !== 0) return false;
  if (wanted.findings && !index.findings[index.segments[i]]) return false;
  return true;
};

// Whether a text that is searched for stands in a segment's id or in one of its shown texts.
export const contains = (search, id, texts) => {
  const sought = search.toLowerCase();
  return id.toLowerCase() === sought || texts.some((text) => text !== null && text.toLowerCase().includes(sought));
};

// The segments before and after one in its document, where the page has them.
export const neighbours = (index, i) =>
  [i - 1, i + 1].filter(
    (j) =>
      index.segments[j] === index.segments[i] + (j - i) &&
      index.documents[j] === index.documents[i] &&
      index.domains[j] === index.domains[i],
  );
