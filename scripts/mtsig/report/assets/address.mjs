// What a link shows: the id of a part of the page, then settings of its forms, as in #t-news-compare?a=X&b=Y.
export const readAddress = (hash) => {
  const [id, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  let name = id;
  try {
    name = decodeURIComponent(id);
  } catch {
    // A stray percent sign is part of the name.
  }
  return { id: name, values: Object.fromEntries(new URLSearchParams(query)) };
};

export const writeAddress = (id, values = {}) => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();
  return `#${encodeURIComponent(id)}${query ? `?${query}` : ""}`;
};
