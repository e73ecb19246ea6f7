// The panel beside the flame graph: everything about one frame, until another one is asked for.

const MOST_NEIGHBOURS = 5;
/** The pointer rests so long on a frame before the panel tells about it: on its way to the panel it crosses others. */
const REST_MS = 60;
let resting = 0;

/** Tells about the frame under a pointer that moves: a page that scrolls below a resting one says nothing. */
function pointed(event) {
  clearTimeout(resting);
  if (!event.movementX && !event.movementY) return;
  const group = event.target.closest("g[data-frame]");
  const place = group && drawn.find((one) => one.frame.id === group.dataset.frame);
  if (place) resting = setTimeout(() => tell(place.frame), REST_MS);
}

function tell(frame) {
  const { of } = frame;
  const parts = [element("p", {}, element("b", { class: "name" }, frame.name), of ? element("span", { class: "dim" }, " " + of.object) : "")];
  if (of) parts.push(actionsOn(of));
  if (isPruned(frame)) parts.push(element("p", {}, `${frame.pruned} narrow frames together`));
  if (frame.parent !== null && !isPruned(frame)) {
    if (isNew(frame)) parts.push(element("p", {}, "New here: only after has this stack."));
    if (isGone(frame)) parts.push(element("p", {}, "Gone here: only before has this stack."));
  }
  parts.push(numbersOf(frame));
  if (frame.joined > 1 && !isWhole(frame)) parts.push(element("p", { class: "dim" }, `Joined of ${frame.joined} frames; the interval is the sum of theirs.`));
  if (of) parts.push(...neighboursOf(of));
  const part = of && data.classify.findings.find((one) => one.name.split(" -> ").pop() === of.name);
  if (part) {
    const delta = isCost() ? part.delta_per_op : part.delta_pp;
    parts.push(element("p", {}, element("a", { href: "#summary" }, `Part ${part.rank} of the answer`),
      `: ${difference(delta)} ${changeUnit()}, ${part.cause}, ${part.confidence}`));
  }
  const told = of && verdictsByName.get(keyOf(of.name, of.object));
  if (told) {
    const { verdict, index } = told;
    parts.push(element("p", {}, element("a", { href: "#v" + index }, `${verdict.cause}, ${verdict.confidence}`), ": ", verdict.reason));
    if (verdict.evidence.length) parts.push(element("details", {}, element("summary", {}, "evidence"), evidenceOf(verdict)));
  }
  byId("frame").replaceChildren(...parts);
}

/** Of a function that the picture does not have. */
function tellMissing(name) {
  byId("frame").replaceChildren(element("p", {}, element("b", { class: "name" }, name)),
    element("p", {}, tree.is_aligned ? "No frame: it is too narrow, or both sides' stacks are laid along other functions. The table has its numbers."
      : "No frame: it is too narrow. The table has its numbers."));
}

function actionsOn(of) {
  const button = (text, act) => {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", () => act(made));
    return made;
  };
  return element("p", { class: "actions" },
    button("Callers and callees", () => { showAround(of); remember(); }),
    button("Copy name", (made) => copy(of.name, made)));
}

function numbersOf(frame) {
  const heads = ["", "before", "after", "change", "95 %"].map((name) => (name ? element("th", { scope: "col" }, name) : element("td")));
  const lines = [element("tr", {}, ...heads)];
  for (const measure of ["total", "self"]) {
    const [low, high] = intervalOf(frame, measure);
    const isKnown = typeof low === "number" && !isWhole(frame);
    const isBeyond = isKnown && isBeyondNoise(frame, measure);
    const tone = isBeyond ? (changeOf(frame, measure) > 0 ? "worse" : "better") : "dim";
    lines.push(element("tr", {}, element("th", { scope: "row" }, measure === "total" ? "with callees" : "self"),
      element("td", { class: "number" }, amount(ofFrame(frame, "before", measure))),
      element("td", { class: "number" }, amount(ofFrame(frame, "after", measure))),
      element("td", { class: "number " + tone }, difference(changeOf(frame, measure))),
      element("td", { class: "number" }, !isKnown ? "-" : `${difference(low)}..${difference(high)}${isBeyond ? "" : " noise"}`)));
  }
  return element("table", {}, element("caption", {}, unitName()), element("tbody", {}, ...lines));
}

/** Who calls a function and what it calls, over all its frames; each leads to the picture around it. */
function neighboursOf(of) {
  const around = framesAround(frames, of, ofFrame);
  return [["called by", around.up[0].children], ["calls", around.down[0].children]].map(([kind, all]) => {
    const size = (frame) => Math.max(ofFrame(frame, "before", "total"), ofFrame(frame, "after", "total"));
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
}
