// Differences between two texts, by word; by character in scripts that put no spaces between words.
const unspaced = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{sc=Tibetan}";
const pieces = new RegExp(`[${unspaced}]\\p{M}*|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}_])+|\\s+|.\\p{M}*`, "gsu");

export const tokens = (text) => text.match(pieces) || [];

// Longer texts than this are compared by which words they hold, not by their order.
const mostCells = 4_000_000;

// The longest common subsequence: which tokens of `one` and of `two` belong to it.
const common = (one, two) => {
  const [kept, also] = [one.map(() => false), two.map(() => false)];
  let start = 0;
  let [end, last] = [one.length, two.length];
  while (start < end && start < last && one[start] === two[start]) kept[start] = also[start++] = true;
  while (end > start && last > start && one[end - 1] === two[last - 1]) kept[--end] = also[--last] = true;
  const [rows, width] = [end - start, last - start + 1];
  if (rows * width > mostCells) {
    const [left, right] = [new Set(one), new Set(two)];
    for (let i = start; i < end; i++) kept[i] = right.has(one[i]);
    for (let j = start; j < last; j++) also[j] = left.has(two[j]);
    return [kept, also];
  }
  const lengths = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = width - 2; j >= 0; j--) {
      lengths[i * width + j] =
        one[start + i] === two[start + j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < width - 1; ) {
    if (one[start + i] === two[start + j]) kept[start + i++] = also[start + j++] = true;
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return [kept, also];
};

const space = /^\s+$/;

// Runs of a text: [[piece, whether it differs from `other`], ...]; together they are the text.
export const marked = (text, other) => {
  const parts = tokens(text);
  const words = parts.filter((part) => !space.test(part));
  const [kept] = common(words, tokens(other).filter((part) => !space.test(part)));
  const runs = [];
  let at = 0;
  const differs = parts.map((part) => (space.test(part) ? null : !kept[at++]));
  parts.forEach((part, i) => {
    // A space between two words that differ belongs to both.
    const here = differs[i] ?? (differs[i - 1] === true && differs[i + 1] === true);
    if (runs.length && runs[runs.length - 1][1] === here) runs[runs.length - 1][0] += part;
    else runs.push([part, here]);
  });
  return runs;
};
