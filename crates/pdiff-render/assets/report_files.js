// Copies for elsewhere: names, links, the picture as SVG or PNG, the table as CSV. Nothing is fetched or sent.

/**
 * Puts text on the clipboard, and says so on the button.
 * @param {string} text @param {HTMLElement} button
 */
function copy(text, button) {
  const said = (/** @type {string} */ word) => {
    const before = button.textContent;
    button.textContent = word;
    setTimeout(() => { button.textContent = before; }, 1200);
  };
  const byHand = () => {
    const area = element("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    said(document.execCommand("copy") ? "Copied" : "Not copied");
    area.remove();
  };
  if (!navigator.clipboard) { byHand(); return; }
  navigator.clipboard.writeText(text).then(() => said("Copied"), byHand);
}

/** @param {string} name @param {Blob} blob */
function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const fileStem = () => (document.title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "report").slice(0, 80);

/**
 * The picture as it is seen.
 * @returns {SVGSVGElement}
 */
function seenPicture() {
  const picture = byId("graph").querySelector("svg");
  if (!picture) throw new Error("no picture is drawn");
  return picture;
}

/** The picture as it is seen, with its colours written out. */
function pictureText() {
  const picture = seenPicture();
  const written = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const seen = picture.querySelectorAll("rect, text");
  written.querySelectorAll("rect, text").forEach((one, at) => {
    const style = getComputedStyle(seen[at]);
    one.setAttribute("style", one.tagName === "text" ? `fill:${style.fill};font:12px monospace`
      : `fill:${style.fill};stroke:${style.stroke};stroke-width:${style.strokeWidth}`);
  });
  const { width, height } = picture.viewBox.baseVal;
  written.setAttribute("xmlns", SVG);
  written.setAttribute("width", String(width));
  written.prepend(shape("rect", { width, height, style: `fill:${getComputedStyle(document.body).backgroundColor}` }));
  return new XMLSerializer().serializeToString(written);
}

/** The picture in dots, twice as many as the window has. */
function pictureCanvas() {
  const picture = seenPicture();
  const { width, height } = picture.viewBox.baseVal;
  const canvas = element("canvas", { width: Math.ceil(2 * width), height: Math.ceil(2 * height) });
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser draws no pictures");
  pen.scale(2, 2);
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, width, height);
  for (const rect of picture.querySelectorAll("g > rect")) {
    const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
    const style = getComputedStyle(rect);
    const hatching = /url\("?#([\w-]+)/.exec(style.fill);
    const colors = hatching ? [...picture.querySelectorAll(`#${hatching[1]} rect`)].map((one) => getComputedStyle(one).fill) : [style.fill];
    pen.fillStyle = colors[0];
    pen.fillRect(x, y, w, h);
    if (hatching) {
      pen.save();
      pen.beginPath();
      pen.rect(x, y, w, h);
      pen.clip();
      pen.strokeStyle = colors[1];
      pen.lineWidth = 2;
      const lean = hatching[1].startsWith("new") ? h : -h;
      for (let at = x - h; at < x + w + h; at += 10) {
        pen.beginPath();
        pen.moveTo(at, y + h);
        pen.lineTo(at + lean, y);
        pen.stroke();
      }
      pen.restore();
    }
    if (style.stroke !== "none") {
      pen.strokeStyle = style.stroke;
      pen.lineWidth = Number.parseFloat(style.strokeWidth);
      pen.strokeRect(x, y, w, h);
    }
  }
  pen.font = "12px monospace";
  for (const text of picture.querySelectorAll("text")) {
    pen.fillStyle = getComputedStyle(text).fill;
    pen.fillText(text.textContent ?? "", Number(text.getAttribute("x")), Number(text.getAttribute("y")));
  }
  return canvas;
}

/** The rows of the table as they are filtered and sorted, all of them. */
function tableText() {
  const rows = wantedRows();
  return csvLine(["object", ...columns.map((column) => column.title()), "95 % low", "95 % high"]) +
    rows.map((/** @type {any} */ row) => {
      const scale = (/** @type {unknown} */ value) => (typeof value === "number" && isCost() ? value / costUnit.divisor : value);
      const cells = columns.map((column) => (column.id === "gap" ? column.value(row) : scale(column.value(row))));
      return csvLine([row.object, ...cells, ...rowInterval(row).map(scale)]);
    }).join("");
}

byId("save-svg").addEventListener("click", () => save(`${fileStem()}.svg`, new Blob([pictureText()], { type: "image/svg+xml" })));
byId("save-png").addEventListener("click", () => pictureCanvas().toBlob((blob) => { if (blob) save(`${fileStem()}.png`, blob); }));
byId("save-csv").addEventListener("click", () => save(`${fileStem()}.csv`, new Blob([tableText()], { type: "text/csv" })));
byId("copy-link").addEventListener("click", () => copy(location.href, byId("copy-link")));
