// The panel beside the flame graph: everything about one frame, until another one is asked for.

const MOST_NEIGHBOURS = 5;
/** The pointer rests so long on a frame before the panel tells about it: on its way to the panel it crosses others. */
const REST_MS = 60;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let resting;

/**
 * Tells about the frame under a pointer that moves: a page that scrolls below a resting one says nothing.
 * @param {MouseEvent} event
 */
function pointed(event) {
  clearTimeout(resting);
  if (!event.movementX && !event.movementY) return;
  const group = event.target instanceof Element ? event.target.closest("g[data-frame]") : null;
  const place = group && drawn.find((one) => one.frame.id === group.getAttribute("data-frame"));
  if (place) resting = setTimeout(() => tell(place.frame), REST_MS);
}

/**
 * A cause and how certain it is; once where both are the same word.
 * @param {{cause: string, confidence: string}} of
 */
function causeText(of) {
  return of.cause === of.confidence ? of.cause : `${of.cause}, ${of.confidence}`;
}

/** What the panel has a tab for. */
const TABS = [["callers", "Callers"], ["evidence", "Evidence"], ["code", "Code"], ["time", "Time"]];
/** @type {{tab: string, frame: Frame|null}} */
const panel = { tab: "callers", frame: null };

/** @param {Frame} frame */
function tell(frame) {
  panel.frame = frame;
  const { of } = frame;
  const parts = [element("p", {}, element("b", { class: "name" }, frame.name), of ? element("span", { class: "dim" }, " " + of.object) : "")];
  if (of) parts.push(actionsOn(of));
  if (isPruned(frame)) parts.push(element("p", {}, `${frame.pruned} narrow frames together`));
  if (frame.parent !== null && !isPruned(frame)) {
    if (isNew(frame)) parts.push(element("p", {}, "New here: only after has this stack."));
    if (isGone(frame)) parts.push(element("p", {}, "Gone here: only before has this stack."));
  }
  const part = of && partOf(of.name);
  if (part) parts.push(partLine(part));
  parts.push(numbersOf(frame));
  if (frame.joined > 1 && !isWhole(frame)) parts.push(element("p", { class: "dim" }, `Joined of ${frame.joined} frames; the interval is the sum of theirs.`));
  if (of) parts.push(tabList(), tabPanel(of));
  const active = document.activeElement;
  const focused = active && byId("frame").contains(active) ? active.id : "";
  byId("frame").replaceChildren(...parts);
  if (focused) document.getElementById(focused)?.focus();
}

/** The tabs; arrow keys go from one to the next. */
function tabList() {
  const list = element("div", { role: "tablist", "aria-label": "About this function" });
  for (const [name, title] of TABS) {
    const isChosen = name === panel.tab;
    const tab = element("button", { type: "button", role: "tab", id: "tab-" + name, "aria-selected": isChosen,
      "aria-controls": "tab-panel", tabindex: isChosen ? 0 : -1 }, title);
    tab.addEventListener("click", () => openTab(name));
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? TABS.length - 1 : 0;
    if (!step) return;
    event.preventDefault();
    openTab(TABS[(TABS.findIndex(([name]) => name === panel.tab) + step) % TABS.length][0]);
  });
  return list;
}

/** @param {string} name */
function openTab(name) {
  panel.tab = name;
  if (panel.frame) tell(panel.frame);
  document.getElementById("tab-" + name)?.focus();
  remember();
}

/**
 * What each tab tells about a function.
 * @type {{[tab: string]: (of: NonNullable<Frame["of"]>) => unknown[]}}
 */
const TELLERS = { callers: neighboursOf, evidence: toldOf, code: codeOf, time: timeOf };

/** @param {NonNullable<Frame["of"]>} of */
function tabPanel(of) {
  const contents = (TELLERS[panel.tab] ?? neighboursOf)(of);
  byId("flame-body").dataset.tab = panel.tab;
  return element("div", { id: "tab-panel", role: "tabpanel", "aria-labelledby": "tab-" + panel.tab }, ...contents);
}

/**
 * The part of the answer that a function is, and the verdict on it with its evidence.
 * @param {NonNullable<Frame["of"]>} of
 */
function toldOf(of) {
  const parts = [];
  const part = partOf(of.name);
  if (part) parts.push(element("p", {}, `As part ${part.rank} of the answer: ${causeText(part)}.`));
  const told = verdictsByName.get(keyOf(of.name, of.object));
  if (told) {
    const { verdict, index } = told;
    parts.push(element("p", {}, part ? "The function by itself: " : "", element("a", { href: "#v" + index }, causeText(verdict)), ": ", verdict.reason));
    if (verdict.evidence.length) parts.push(evidenceOf(verdict));
  }
  return parts.length ? parts : [element("p", {}, "No verdict: its own change is within noise, or too small to matter.")];
}

/**
 * The part of the answer that bears a function's name.
 * @param {string} name
 */
const partOf = (name) => data.classify.findings.find((/** @type {any} */ one) => one.name.split(" -> ").pop() === name);

/**
 * What the answer says of a function, and why that is another number than the frame's.
 * @param {any} part
 */
function partLine(part) {
  const delta = isCost() ? part.delta_per_op : part.delta_pp;
  return element("p", {}, element("a", { href: "#summary" }, `Part ${part.rank} of the answer`),
    `: ${difference(delta)} ${changeUnit()}`, element("span", { class: "dim" }, ", without callees that are parts of their own or have many callers"));
}

/**
 * Of a function that the picture does not have.
 * @param {string} name
 */
function tellMissing(name) {
  const numbers = data.compare.functions.some((/** @type {any} */ row) => row.name === name) ? " The table of functions has its numbers." : "";
  byId("frame").replaceChildren(element("p", {}, element("b", { class: "name" }, name)),
    element("p", {}, (tree.is_aligned ? "No frame: it is too narrow, or both sides' stacks are laid along other functions." : "No frame: it is too narrow.") + numbers));
}

/** @param {NonNullable<Frame["of"]>} of */
function actionsOn(of) {
  const button = (/** @type {string} */ text, /** @type {(made: HTMLElement) => void} */ act) => {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", () => act(made));
    return made;
  };
  return element("p", { class: "actions" },
    button("Callers and callees", () => { showAround(of); remember(); }),
    button("Copy name", (made) => copy(of.name, made)));
}

/** @param {Frame} frame */
function numbersOf(frame) {
  const heads = ["", "before", "after", "change and its 95 % interval"].map((name) => (name ? element("th", { scope: "col" }, name) : element("td")));
  const lines = [element("tr", {}, ...heads)];
  for (const measure of [...MEASURES].reverse()) {
    const [low, high] = intervalOf(frame, measure);
    const isKnown = low !== null && high !== null && !isWhole(frame);
    const isBeyond = isKnown && isBeyondNoise(frame, measure);
    const tone = isBeyond ? (changeOf(frame, measure) > 0 ? "worse" : "better") : "dim";
    const interval = isKnown ? element("span", { class: "dim" }, ` ${difference(low)}..${difference(high)}${isBeyond ? "" : " noise"}`) : "";
    lines.push(element("tr", {}, element("th", { scope: "row" }, measure === "total" ? "with callees" : "self"),
      element("td", { class: "number" }, amount(ofFrame(frame, "before", measure))),
      element("td", { class: "number" }, amount(ofFrame(frame, "after", measure))),
      element("td", {}, element("span", { class: tone }, difference(changeOf(frame, measure))), interval)));
  }
  return element("table", {}, element("caption", {}, unitName()), element("tbody", {}, ...lines));
}

/**
 * Who calls a function and what it calls, over all its frames; each leads to the picture around it.
 * @param {NonNullable<Frame["of"]>} of
 */
function neighboursOf(of) {
  const around = madeAround(of);
  /** @type {[string, Frame[]][]} */
  const neighbours = [["called by", around.up[0].children], ["calls", around.down[0].children]];
  const lists = neighbours.map(([kind, all]) => {
    const size = (/** @type {Frame} */ frame) => Math.max(ofFrame(frame, "before", "total"), ofFrame(frame, "after", "total"));
    const most = all.filter((frame) => frame.of).sort((a, b) => size(b) - size(a)).slice(0, MOST_NEIGHBOURS);
    if (!most.length) return "";
    return element("div", {}, element("span", { class: "dim" }, kind), element("ul", {}, ...most.map((frame) => {
      const link = element("a", { href: "#flame", class: "name" }, frame.name);
      link.addEventListener("click", (event) => { event.preventDefault(); showAround(frame.of); remember(); });
      return element("li", {}, link, ` ${amount(ofFrame(frame, "before", "total"))} -> ${amount(ofFrame(frame, "after", "total"))} `,
        element("span", { class: isBeyondNoise(frame, "total") ? (changeOf(frame, "total") > 0 ? "worse" : "better") : "dim" },
          difference(changeOf(frame, "total"))));
    })));
  });
  return lists.some(Boolean) ? lists : [element("p", {}, "Nothing calls it, and it calls nothing.")];
}
