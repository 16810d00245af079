// Sorting, switching and looking up. All numbers and words come finished from the page's data.
import { all } from "./dom.mjs";
import { readAddress, writeAddress } from "./address.mjs";
import { openTab, startOverview, startTables, startTabs } from "./tables.mjs";
import { startMatrices } from "./matrix.mjs";
import { openComparison, startComparisons } from "./segments.mjs";

const views = all(".view");

// Remember what is shown, for links and for the browser's back button.
const visit = (id, values = {}, replace = false) => {
  const address = writeAddress(id, values);
  if (address !== location.hash) history[replace ? "replaceState" : "pushState"](null, "", address);
};

const route = async () => {
  const { id, values } = readAddress(location.hash);
  const target = (id && document.getElementById(id)) || views[0];
  const view = target.closest(".view") || document.querySelector(".view.current") || views[0];
  for (const one of views) one.classList.toggle("current", one === view);
  for (const link of all("nav a")) {
    if (link.getAttribute("href") === `#${view.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openTab(target);
  if (target === view) window.scrollTo(0, 0);
  else target.scrollIntoView({ block: "start" });
  if (target.id !== `${view.id}-compare`) return;
  await openComparison(view, values);
  // Only now is the page long enough.
  target.scrollIntoView({ block: "start" });
};

startTables();
startOverview();
startTabs(visit);
startMatrices();
startComparisons(visit);
window.addEventListener("hashchange", route);
route();
document.documentElement.classList.add("ready");
