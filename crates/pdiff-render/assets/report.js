// The page put together. What is chosen stands in the address behind "#?", so that a view can be linked to and Back goes
// back: stacks, measure, sort, order, filter, significant, view, color, direction, around (a function in the middle), search, zoom (a
// frame's number, or a function's name), frame and tab (what the panel tells).

function choose(name, value) {
  const choice = document.querySelector(`input[name="${name}"][value="${CSS.escape(value)}"]`);
  if (!choice) return;
  choice.checked = true;
  if (name === "measure") page.measure = value; else flame[name] = value;
}

const DEFAULTS = { stacks: "aligned", tab: panel.tab, measure: page.measure, view: "diff", color: "total", direction: "callees", sort: "delta", order: "descending" };

/** The address of what is shown. */
function addressNow() {
  const all = { stacks: flame.stacks, tab: panel.tab, measure: page.measure, view: flame.view, color: flame.color, direction: flame.direction,
    around: flame.around ? flame.around.name : "", sort: table.sort,
    order: table.descending ? "descending" : "ascending", filter: byId("filter").value,
    significant: byId("significant").checked ? "1" : "", search: byId("search").value, zoom: flame.zoom ? String(flame.zoom) : "",
    frame: ["0", "d0", "i0", String(flame.zoom)].includes(flame.current) ? "" : flame.current };
  if (table.sort === "function" && !table.descending) delete all.order;
  const chosen = Object.entries(all).filter(([name, value]) => value && value !== DEFAULTS[name]);
  return chosen.length ? "#?" + new URLSearchParams(chosen) : "";
}

/** Writes the address: a step that Back takes back, or, while something is typed, in place. */
function remember(inPlace) {
  const address = addressNow();
  const now = location.hash.startsWith("#?") ? location.hash : "";
  if (address === now) return;
  history[inPlace ? "replaceState" : "pushState"](null, "", address || "#");
}

function applyAddress() {
  if (location.hash.length > 1 && !location.hash.startsWith("#?")) return;
  const chosen = new URLSearchParams(location.hash.slice(2));
  byId("filter").value = chosen.get("filter") || "";
  byId("significant").checked = chosen.has("significant");
  useStacks(chosen.get("stacks") || DEFAULTS.stacks);
  panel.tab = TABS.some(([name]) => name === chosen.get("tab")) ? chosen.get("tab") : DEFAULTS.tab;
  for (const name of ["measure", "view", "color", "direction"]) choose(name, chosen.get(name) || DEFAULTS[name]);
  const sorted = columns.find((column) => column.id === (chosen.get("sort") || DEFAULTS.sort));
  if (sorted) sortBy(sorted, chosen.has("order") ? chosen.get("order") === "descending" : !sorted.text);
  drawTable();
  const zoom = chosen.get("zoom") || "";
  const target = /^\d+$/.test(zoom) ? frames[Number(zoom)] : zoom ? widestOf(zoom) : null;
  flame.around = chosen.has("around") ? functionNamed(chosen.get("around")) : null;
  flame.zoom = target && !flame.around ? target.index : 0;
  flame.current = chosen.get("frame") || (flame.around ? "d0" : String(flame.zoom));
  searchFor(chosen.get("search") || "");
}

/** Goes to what the address speaks of. */
function scrollToChosen() {
  const chosen = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
  const has = (...names) => names.some((name) => chosen.has(name));
  const section = has("stacks", "tab", "zoom", "search", "view", "color", "direction", "around", "frame") ? "flame" : has("filter", "significant", "sort") ? "functions" : null;
  if (section) byId(section).scrollIntoView();
}

function openCard() {
  if (!/^#v\d+$/.test(location.hash)) return;
  const id = location.hash.slice(1);
  if (!byId(id)) drawCards(true);
  const card = byId(id);
  if (!card) return;
  card.open = true;
  card.scrollIntoView();
}

useStacks(flame.stacks);
drawStacksChoice();
byId("stacks").closest("label").hidden = stacksByName.size === 1;
drawTable();
drawCards(false);
applyAddress();
scrollToChosen();
openCard();

byId("filter").addEventListener("input", () => { drawTable(); remember(true); });
byId("significant").addEventListener("change", () => { drawTable(); remember(); });
byId("more").addEventListener("click", () => { table.all = true; drawTable(); });
byId("all-cards").addEventListener("click", () => drawCards(true));
for (const name of ["view", "color", "measure", "direction"]) {
  for (const choice of document.getElementsByName(name)) {
    choice.addEventListener("change", () => {
      choose(name, choice.value);
      if (name === "direction") Object.assign(flame, { zoom: 0, around: null, current: "0" });
      if (name === "measure") { drawTable(); drawStacksChoice(); }
      drawFlame();
      remember();
    });
  }
}
byId("stacks").addEventListener("change", () => {
  useStacks(byId("stacks").value);
  showAround(null);
  remember();
});
for (const link of document.querySelectorAll("a[data-function]")) {
  link.addEventListener("click", (event) => { event.preventDefault(); showFunction(link.dataset.function); });
}
byId("search").addEventListener("input", () => { searchFor(byId("search").value); remember(true); });
byId("unzoom").addEventListener("click", () => { showAround(null); remember(); });
byId("graph").addEventListener("keydown", pressed);
byId("graph").addEventListener("mousemove", pointed);
byId("graph").addEventListener("mouseleave", () => clearTimeout(resting));
for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("popstate", () => { applyAddress(); openCard(); });
window.addEventListener("hashchange", openCard);
let drawnAt = byId("graph").clientWidth;
new ResizeObserver(() => {
  if (byId("graph").clientWidth === drawnAt) return;
  drawnAt = byId("graph").clientWidth;
  drawFlame();
}).observe(byId("graph"));
document.documentElement.dataset.drawn = "yes";
