// The page put together. What is chosen stands in the address behind "#?", so that a view can be linked to and Back goes
// back: stacks, measure, sort, order, filter, significant, view, color, direction, around (a function in the middle), search, zoom (a
// frame's number, or a function's name), frame and tab (what the panel tells).

/** @typedef {"measure"|"view"|"color"|"direction"} Choice */
/** @param {Choice} name @param {string} value */
function choose(name, value) {
  const choice = document.querySelector(`input[name="${name}"][value="${CSS.escape(value)}"]`);
  if (!(choice instanceof HTMLInputElement)) return;
  choice.checked = true;
  if (name === "measure") page.measure = value;
  else if (name === "color") flame.color = value === "self" ? "self" : "total";
  else flame[name] = value;
}

/**
 * What can be chosen by a row of round buttons.
 * @type {Choice[]}
 */
const CHOICES = ["measure", "view", "color", "direction"];

/** @type {{[name: string]: string}} */
const DEFAULTS = { stacks: "aligned", tab: panel.tab, measure: page.measure, view: "diff", color: "total", direction: "callees", sort: "delta", order: "descending" };

/** The address of what is shown. */
function addressNow() {
  /** @type {{[name: string]: string}} */
  const all = { stacks: flame.stacks, tab: panel.tab, measure: page.measure, view: flame.view, color: flame.color, direction: flame.direction,
    around: flame.around ? flame.around.name : "", sort: table.sort,
    order: table.descending ? "descending" : "ascending", filter: field("filter").value,
    significant: field("significant").checked ? "1" : "", search: field("search").value, zoom: flame.zoom ? String(flame.zoom) : "",
    frame: ["0", "d0", "i0", String(flame.zoom)].includes(flame.current) ? "" : flame.current };
  if (table.sort === "function" && !table.descending) delete all.order;
  const chosen = Object.entries(all).filter(([name, value]) => value && value !== DEFAULTS[name]);
  return chosen.length ? "#?" + new URLSearchParams(chosen) : "";
}

/**
 * Writes the address: a step that Back takes back, or, while something is typed, in place.
 * @param {boolean} [inPlace]
 */
function remember(inPlace) {
  const address = addressNow();
  const now = location.hash.startsWith("#?") ? location.hash : "";
  if (address === now) return;
  history[inPlace ? "replaceState" : "pushState"](null, "", address || "#");
}

function applyAddress() {
  if (location.hash.length > 1 && !location.hash.startsWith("#?")) return;
  const chosen = new URLSearchParams(location.hash.slice(2));
  field("filter").value = chosen.get("filter") || "";
  field("significant").checked = chosen.has("significant");
  useStacks(chosen.get("stacks") || DEFAULTS.stacks);
  panel.tab = (TABS.find(([name]) => name === chosen.get("tab")) ?? [DEFAULTS.tab])[0];
  for (const name of CHOICES) choose(name, chosen.get(name) || DEFAULTS[name]);
  const sorted = columns.find((column) => column.id === (chosen.get("sort") || DEFAULTS.sort));
  if (sorted) sortBy(sorted, chosen.has("order") ? chosen.get("order") === "descending" : !sorted.text);
  drawTable();
  const zoom = chosen.get("zoom") || "";
  const target = /^\d+$/.test(zoom) ? frames[Number(zoom)] : zoom ? widestOf(zoom) : null;
  const around = chosen.get("around");
  flame.around = around !== null ? functionNamed(around) : null;
  flame.zoom = target && !flame.around ? target.index : 0;
  flame.current = chosen.get("frame") || (flame.around ? "d0" : String(flame.zoom));
  searchFor(chosen.get("search") || "");
}

/** Goes to what the address speaks of. */
function scrollToChosen() {
  const chosen = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
  const has = (/** @type {string[]} */ ...names) => names.some((name) => chosen.has(name));
  const section = has("stacks", "tab", "zoom", "search", "view", "color", "direction", "around", "frame") ? "flame" : has("filter", "significant", "sort") ? "functions" : null;
  if (section === "flame") scrollToFlame();
  else if (section) byId(section).scrollIntoView();
}

function openCard() {
  if (!/^#v\d+$/.test(location.hash)) return;
  const id = location.hash.slice(1);
  if (!document.getElementById(id)) drawCards(true);
  const card = document.getElementById(id);
  if (!(card instanceof HTMLDetailsElement)) return;
  card.open = true;
  card.scrollIntoView();
}

useStacks(flame.stacks);
drawStacksChoice();
const stacksLabel = byId("stacks").closest("label");
if (stacksLabel) stacksLabel.hidden = stacksByName.size === 1;
drawTable();
drawCards(false);
applyAddress();
scrollToChosen();
openCard();

byId("filter").addEventListener("input", () => { drawTable(); remember(true); });
byId("significant").addEventListener("change", () => { drawTable(); remember(); });
byId("more").addEventListener("click", () => { table.all = true; drawTable(); });
byId("all-cards").addEventListener("click", () => drawCards(true));
for (const name of CHOICES) {
  for (const choice of document.getElementsByName(name)) {
    choice.addEventListener("change", () => {
      if (choice instanceof HTMLInputElement) choose(name, choice.value);
      if (name === "direction") Object.assign(flame, { zoom: 0, around: null, current: "0" });
      if (name === "measure") { drawTable(); drawStacksChoice(); }
      drawFlame();
      remember();
    });
  }
}
byId("stacks").addEventListener("change", () => {
  const { around } = flame;
  useStacks(field("stacks").value);
  showAround(around && functionNamed(around.name, around.object));
  remember();
});
for (const link of document.querySelectorAll("a[data-threads]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    useStacks(`threads:${link.getAttribute("data-threads")}`);
    resetView();
    remember();
    scrollToFlame();
  });
}
for (const link of document.querySelectorAll("a[data-function]")) {
  link.addEventListener("click", (event) => { event.preventDefault(); showFunction(link.getAttribute("data-function") ?? ""); });
}
byId("search").addEventListener("input", () => { searchFor(field("search").value); remember(true); });
byId("unzoom").addEventListener("click", () => { resetView(); remember(); });
// Escape also works from the buttons beside the picture; in a field it has a meaning of its own.
byId("flame").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.target instanceof HTMLInputElement) return;
  resetView();
  remember();
});
byId("graph").addEventListener("keydown", pressed);
byId("graph").addEventListener("mousemove", pointed);
byId("graph").addEventListener("mouseleave", () => clearTimeout(resting));
for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("popstate", () => { applyAddress(); openCard(); });
window.addEventListener("hashchange", openCard);
/** What scrolls sideways in a narrow window is reached by keys, too. */
function reachWhatScrolls() {
  for (const wide of document.querySelectorAll("div.wide")) {
    const isReached = wide.scrollWidth <= wide.clientWidth || wide.querySelector("a[href], button") !== null;
    const name = wide.closest("section")?.querySelector("h2")?.textContent ?? "table";
    for (const [attribute, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", name]]) {
      if (isReached) wide.removeAttribute(attribute);
      else wide.setAttribute(attribute, value);
    }
  }
}
reachWhatScrolls();
let drawnAt = byId("graph").clientWidth;
new ResizeObserver(() => {
  if (byId("graph").clientWidth === drawnAt) return;
  drawnAt = byId("graph").clientWidth;
  drawFlame();
  reachWhatScrolls();
}).observe(byId("graph"));
document.documentElement.dataset.drawn = "yes";
