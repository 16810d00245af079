// The page's data: JSON, deflated, in base64. A block is unpacked when it is first asked for, and once.
export const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

export const tooOld = "This browser is too old to unpack the data of this part.";

const unpacked = new WeakMap();
const contentOf = (script) => {
  if (!unpacked.has(script)) unpacked.set(script, unpack(script.textContent));
  return unpacked.get(script);
};

// One block of a section by its class.
export const blockOf = (section, name) => contentOf(section.querySelector(`script.${name}`));

// How many blocks of texts the page holds, and the texts of one segment: [source, [references], [outputs]].
export const textBlocks = (section) => section.querySelectorAll("script.texts").length;
export const textsOf = async (section, index, i) => {
  const block = await contentOf(section.querySelectorAll("script.texts")[index.block[i]]);
  return block[index.at[i]];
};
