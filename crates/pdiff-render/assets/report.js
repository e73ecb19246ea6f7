// The page put together. What is chosen in the address behind "#?" is applied, so that a view can be linked to:
// sort, filter, significant, view, color, search, zoom (a function's name).

function choose(name, value) {
  const choice = document.querySelector(`input[name="${name}"][value="${CSS.escape(value)}"]`);
  if (!choice) return;
  choice.checked = true;
  flame[name] = value;
}

function applyAddress() {
  if (!location.hash.startsWith("#?")) return;
  const chosen = new URLSearchParams(location.hash.slice(2));
  if (chosen.has("filter")) byId("filter").value = chosen.get("filter");
  if (chosen.has("significant")) byId("significant").checked = true;
  for (const name of ["view", "color"]) if (chosen.has(name)) choose(name, chosen.get(name));
  const sorted = columns.find((column) => column.id === chosen.get("sort"));
  if (sorted) sortBy(sorted, !sorted.text);
  drawTable();
  if (chosen.has("zoom")) {
    const target = frames.find((frame) => frame.name === chosen.get("zoom"));
    if (target) zoomTo(target.index);
  }
  searchFor(chosen.get("search") || "");
}

function openCard() {
  const card = /^#v\d+$/.test(location.hash) ? byId(location.hash.slice(1)) : null;
  if (card) card.open = true;
}

drawTable();
drawCards();
drawFlame();
applyAddress();
openCard();

byId("filter").addEventListener("input", drawTable);
byId("significant").addEventListener("change", drawTable);
byId("more").addEventListener("click", () => { table.all = true; drawTable(); });
for (const name of ["view", "color"]) {
  for (const choice of document.getElementsByName(name)) {
    choice.addEventListener("change", () => { flame[name] = choice.value; drawFlame(); });
  }
}
byId("search").addEventListener("input", () => searchFor(byId("search").value));
byId("unzoom").addEventListener("click", () => zoomTo(0));
byId("graph").addEventListener("keydown", pressed);
for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", () => { applyAddress(); openCard(); });
window.addEventListener("resize", drawFlame);
window.addEventListener("beforeprint", () => { for (const one of document.querySelectorAll("details")) one.open = true; });
document.documentElement.dataset.drawn = "yes";
