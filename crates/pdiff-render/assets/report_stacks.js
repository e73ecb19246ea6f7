// Which stacks are drawn: all threads, aligned along what both sides ran or at equal callers only, or one group of threads.

/** By name, as the address has it: what a reader sees, and the data. */
const stacksByName = new Map([["aligned", { title: "all threads", data: data.tree }]]);
for (const other of data.other_trees) {
  const name = other.thread_group === null ? "exact" : `threads:${other.thread_group}`;
  const title = other.thread_group === null ? "all threads, exact: equal callers only" : `threads: ${other.thread_group}`;
  stacksByName.set(name, { title, data: other });
}

/** The tree that is drawn, its frames, and its functions by name. */
let tree = data.tree;
let frames = [];
let functionsByName = new Map();

const readStacks = new Map();
/** The frames of some stacks, read once. */
function framesOf(name) {
  if (!readStacks.has(name)) {
    const { data: of } = stacksByName.get(name);
    const read = readFrames({ ...of, columns: data.tree.columns });
    if (of.thread_group) read[0].name = of.thread_group;
    readStacks.set(name, read);
  }
  return readStacks.get(name);
}

/** Chooses the stacks that are drawn from here on. */
function useStacks(name) {
  flame.stacks = stacksByName.has(name) ? name : "aligned";
  byId("stacks").value = flame.stacks;
  tree = stacksByName.get(flame.stacks).data;
  frames = framesOf(flame.stacks);
  functionsByName = new Map();
  for (const frame of frames) {
    if (!frame.of) continue;
    const same = functionsByName.get(frame.name) || new Set();
    functionsByName.set(frame.name, same.add(frame.of));
  }
}

/** The choices, with what each side spends in a group of threads. */
function drawStacksChoice() {
  const chosen = flame.stacks;
  byId("stacks").replaceChildren(...[...stacksByName].map(([name, { title, data: of }]) => {
    const [root] = framesOf(name);
    const cost = of.thread_group ? `, ${amount(ofFrame(root, "before", "total"))} -> ${amount(ofFrame(root, "after", "total"))} ${unitName()}` : "";
    return element("option", { value: name }, title + cost);
  }));
  byId("stacks").value = chosen;
}
