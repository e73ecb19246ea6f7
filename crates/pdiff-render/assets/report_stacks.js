// Which stacks are drawn: all threads, aligned along what both sides ran or at equal callers only, or one group of threads.

/**
 * By name, as the address has it: what a reader sees, and the data.
 * @type {Map<string, {title: string, data: any}>}
 */
const stacksByName = new Map([["aligned", { title: "all threads", data: data.tree }]]);
for (const other of data.other_trees) {
  const name = other.thread_group === null ? "exact" : `threads:${other.thread_group}`;
  const title = other.thread_group === null ? "all threads, exact: equal callers only" : `threads: ${other.thread_group}`;
  stacksByName.set(name, { title, data: other });
}

/** The tree that is drawn, its frames, and its functions by name. */
let tree = data.tree;
/** @type {Frame[]} */
let frames = [];
/** @type {Map<string, Set<Frame["of"]>>} */
let functionsByName = new Map();

/** @type {Map<string, Frame[]>} */
const readStacks = new Map();
/**
 * The data of some stacks; of all threads where the name is not known.
 * @param {string} name
 */
const stacksData = (name) => stacksByName.get(name)?.data ?? data.tree;

/**
 * The frames of some stacks, read once.
 * @param {string} name @returns {Frame[]}
 */
function framesOf(name) {
  const known = readStacks.get(name);
  if (known) return known;
  const of = stacksData(name);
  const read = readFrames({ ...of, columns: data.tree.columns });
  if (of.thread_group) read[0].name = of.thread_group;
  readStacks.set(name, read);
  return read;
}

/**
 * Chooses the stacks that are drawn from here on.
 * @param {string} name
 */
function useStacks(name) {
  flame.stacks = stacksByName.has(name) ? name : "aligned";
  field("stacks").value = flame.stacks;
  tree = stacksData(flame.stacks);
  frames = framesOf(flame.stacks);
  functionsByName = new Map();
  for (const frame of frames) {
    if (!frame.of) continue;
    const same = functionsByName.get(frame.name) || new Set();
    functionsByName.set(frame.name, same.add(frame.of));
  }
}

/** The frames at equal callers only, where those of all threads are drawn along what both sides ran. */
const exactFrames = () => (flame.stacks === "aligned" && stacksByName.has("exact") ? framesOf("exact") : frames);

/** Exact stacks that keep this part of a function's weight, in frames wide enough to be here, tell its callers. */
const LEAST_HELD = 0.95;

/**
 * A function among its callers and callees, over all its frames. Aligned stacks leave out callers that only one side has, so exact
 * ones are asked if they hold the function.
 * @param {NonNullable<Frame["of"]>} of
 */
function neighbourhoodOf(of) {
  const exact = exactFrames();
  const isIt = (/** @type {Frame} */ frame) => frame.of && frame.of.name === of.name && frame.of.object === of.object;
  const [drawnOf, exactOf] = [frames.find(isIt)?.of, exact.find(isIt)?.of];
  const held = (/** @type {Frame[]} */ all, /** @type {Frame["of"]|undefined} */ one) =>
    (one ? outermostOf(all, one).reduce((sum, frame) => sum + frame.before.total + frame.after.total, 0) : 0);
  const isExact = exact !== frames && held(exact, exactOf) >= LEAST_HELD * held(frames, drawnOf);
  return { isExact, ...framesAround(isExact ? exact : frames, (isExact ? exactOf : drawnOf) ?? of, ofFrame) };
}

/** The choices, with what each side spends in a group of threads. */
function drawStacksChoice() {
  const chosen = flame.stacks;
  byId("stacks").replaceChildren(...[...stacksByName].map(([name, { title, data: of }]) => {
    const [root] = framesOf(name);
    const cost = of.thread_group ? `, ${amount(ofFrame(root, "before", "total"))} -> ${amount(ofFrame(root, "after", "total"))} ${unitName()}` : "";
    return element("option", { value: name }, title + cost);
  }));
  field("stacks").value = chosen;
}
