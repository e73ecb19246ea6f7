// Rules of accessibility, checked in the page: what a screen reader reads out, what the eye can read, what keys reach.
// Gives a list of what is wrong.
(() => {
  const wrong = [];
  const seen = (one) => one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const nameOf = (one) => (one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent || one.title || "").trim();

  if (!document.documentElement.lang) wrong.push("the page has no language");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("there is not one h1");
  if (document.querySelectorAll("main").length !== 1) wrong.push("there is not one main");
  let level = 1;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`heading '${heading.textContent}' skips a level`);
    level = own;
  }
  const ids = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (ids.has(id)) wrong.push(`id ${id} is there twice`);
    ids.add(id);
  }
  for (const name of ["aria-describedby", "aria-labelledby", "aria-controls"]) {
    for (const one of document.querySelectorAll(`[${name}]`)) {
      if (!ids.has(one.getAttribute(name))) wrong.push(`${name} names nothing: ${one.getAttribute(name)}`);
    }
  }
  for (const one of all("a[href], button, input, select, textarea, summary, [tabindex], [role=img], th")) {
    if (!nameOf(one)) wrong.push(`no name: ${one.outerHTML.slice(0, 120)}`);
    if (one.tabIndex > 0) wrong.push(`an order of its own: ${one.outerHTML.slice(0, 120)}`);
  }
  for (const link of all("a[href^='#']")) {
    const id = link.getAttribute("href").slice(1);
    // Verdict cards are drawn when a link to them is followed.
    if (id && !ids.has(id) && !/^v\d+$/.test(id) && !id.startsWith("?")) wrong.push(`a link to nothing: #${id}`);
  }
  for (const wide of all("div.wide")) {
    const isReached = wide.tabIndex === 0 || wide.querySelector("a[href], button");
    if (wide.scrollWidth > wide.clientWidth && !isReached) wrong.push(`scrolls, but not by keys: ${wide.textContent.slice(0, 40)}`);
  }
  for (const box of all("fieldset")) if (!box.querySelector("legend")) wrong.push("a fieldset has no legend");

  const dots = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  /** Any colour of CSS as red, green, blue, alpha. */
  const known = new Map();
  const channels = (color) => {
    if (!known.has(color)) known.set(color, painted(color));
    return known.get(color);
  };
  const painted = (color) => {
    dots.clearRect(0, 0, 1, 1);
    dots.fillStyle = color;
    dots.fillRect(0, 0, 1, 1);
    return [...dots.getImageData(0, 0, 1, 1).data].map((value, at) => (at === 3 ? value / 255 : value));
  };
  const over = (top, below) => top.slice(0, 3).map((value, at) => value * top[3] + below[at] * (1 - top[3]));
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [more, less] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (more + 0.05) / (less + 0.05);
  };
  const ground = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = words.nextNode(); text; text = words.nextNode()) {
    const holder = text.parentElement;
    if (!text.textContent.trim() || !seen(holder) || holder.closest("script, style, noscript, svg")) continue;
    const behind = ground(holder);
    const ratio = contrast(over(channels(getComputedStyle(holder).color), behind), behind);
    if (ratio < 4.5 && !holder.disabled) wrong.push(`${ratio.toFixed(2)} of 4.5: ${text.textContent.trim().slice(0, 60)}`);
  }
  for (const frame of document.querySelectorAll("#graph g[data-frame]:not(.above)")) {
    const label = frame.querySelector("text");
    if (!label) continue;
    const fill = getComputedStyle(frame.querySelector("rect")).fill;
    const pattern = /url\("?#([\w-]+)/.exec(fill);
    const fills = pattern ? [...document.querySelectorAll(`#${pattern[1]} rect`)].map((one) => getComputedStyle(one).fill) : [fill];
    const page = ground(document.body);
    for (const one of fills) {
      const behind = over(channels(one), page);
      const ratio = contrast(channels(getComputedStyle(label).fill).slice(0, 3), behind);
      if (ratio < 4.5) wrong.push(`${ratio.toFixed(2)} of 4.5 on a frame: ${label.textContent} on ${one}`);
    }
  }
  return [...new Set(wrong)];
})()
