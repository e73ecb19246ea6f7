// The names of inferno's own script that flame.js uses, for the type checker alone.

// Sizes of its frames are read from attributes that are there.
/** @typedef {{[name: string]: {value: any}}} Sizes */
/** @typedef {Element & {attributes: Sizes, readonly style: CSSStyleDeclaration}} Group */

/** @type {Group} */
const frames = /** @type {any} */ (null);
/** @type {Text} */
const details = /** @type {any} */ (null);
/** @type {number} */
const known_font_width = 0;
/** @type {number} */
const fontsize = 0;
/** @type {number} */
const fontwidth = 0;
/** @type {(frame: Element) => string} */
const g_to_text = () => "";
/** @type {(frame: Element, name: string) => Group} */
const find_child = () => frames;
/** @type {(at: EventTarget|null) => Element|null} */
const find_group = () => null;
/** @type {(value: number) => string} */
const format_percent = String;
const search_prompt = () => {};
const unzoom = () => {};
// inferno calls this one itself.
void update_text_for_elements;
