// What a picture adds to inferno's script: functions that take the place of inferno's own, keys, and room for what a
// frame says.
"use strict";

/**
 * A search looks at names alone, not at what is in brackets behind them.
 * @param {Element} frame
 */
function g_to_func(frame) {
    return g_to_text(frame).replace(/ \([^(]*\)$/, "");
}

/**
 * A frame's label: the direction of its change first, for eyes and printers that do not tell blue from orange.
 * @param {Element} frame
 */
function update_text(frame) {
    var rect = find_child(frame, "rect");
    var text = find_child(frame, "text");
    var width = parseFloat(rect.attributes.width.value) * frames.attributes.width.value / 100 - 3;
    var fitting = Math.floor(width / (known_font_width || fontsize * fontwidth));
    var label = (frame.getAttribute("data-mark") || "") + g_to_func(frame);
    var left = parseFloat(rect.attributes.x.value) + 100 * 3 / frames.attributes.width.value;
    text.setAttribute("x", format_percent(left));
    text.textContent = fitting < 2 ? "" : label.length > fitting ? label.substring(0, Math.max(0, fitting - 2)) + ".." : label;
}

/** @param {Element[]} elements */
function update_text_for_elements(elements) {
    for (var at = 0; at < elements.length; at++) update_text(elements[at]);
}

/**
 * What a frame says is long: its line goes on in the lines below.
 * @param {Element|null} frame
 */
function say_whole(frame) {
    var first = document.getElementById("details");
    if (!first) return;
    var fitting = Math.max(20, Math.floor(frames.attributes.width.value / (known_font_width || fontsize * fontwidth)));
    var words = frame ? g_to_text(frame).split(" ") : [];
    var lines = [""];
    words.forEach(function (word) {
        var line = lines[lines.length - 1];
        if (line && line.length + 1 + word.length > fitting && lines.length < detail_lines) lines.push(word);
        else lines[lines.length - 1] = line ? line + " " + word : word;
    });
    details.nodeValue = lines[0] || " ";
    for (var at = 1; at < detail_lines; at++) {
        var line = document.getElementById("details-" + at) || line_below(first, at);
        line.textContent = lines[at] || "";
    }
}

/**
 * A line below the one that inferno has.
 * @param {Element} first
 * @param {number} at
 */
function line_below(first, at) {
    var line = document.createElementNS("http://www.w3.org/2000/svg", "text");
    line.id = "details-" + at;
    line.setAttribute("x", first.getAttribute("x") || "0");
    line.setAttribute("y", String(parseFloat(first.getAttribute("y") || "0") + at * 15));
    (document.getElementById("details-" + (at - 1)) || first).after(line);
    return line;
}

var detail_lines = 3;
/** @type {Element|null} */
var focused = null;

/** @param {Element} frame */
function is_shown(frame) {
    return !frame.classList.contains("hide") && find_child(frame, "rect").getBoundingClientRect().width >= 1;
}

/**
 * Moves the focus among the frames.
 * @param {Element} frame
 */
function focus_on(frame) {
    if (focused) find_child(focused, "rect").removeAttribute("stroke");
    focused = frame;
    find_child(frame, "rect").setAttribute("stroke", "black");
    frames.setAttribute("aria-label", g_to_text(frame));
    say_whole(frame);
}

/**
 * The frame that an arrow key leads to.
 * @param {string} key
 * @returns {Element}
 */
function beside(key) {
    /** @type {Element[]} */
    var shown = Array.prototype.filter.call(frames.children, is_shown);
    var box = function (/** @type {Element} */ frame) { return find_child(frame, "rect").getBoundingClientRect(); };
    if (!focused || !is_shown(focused)) return shown.reduce(function (a, b) { return box(b).width > box(a).width ? b : a; });
    var own = box(focused);
    var step = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
    var side = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
    var overlap = function (/** @type {Element} */ frame) { return Math.min(box(frame).right, own.right) - Math.max(box(frame).left, own.left); };
    var near = shown.filter(function (frame) {
        var row = Math.round((box(frame).top - own.top) / own.height);
        return side ? row === 0 && (box(frame).left - own.left) * side > 0 : row * step > 0 && row * step < 1.6 && overlap(frame) > 0;
    });
    if (!near.length) return focused;
    return near.reduce(function (a, b) {
        return side ? (Math.abs(box(b).left - own.left) < Math.abs(box(a).left - own.left) ? b : a) : overlap(b) > overlap(a) ? b : a;
    });
}

window.addEventListener("mouseover", function (event) {
    var frame = find_group(event.target);
    if (frame) say_whole(frame);
});
window.addEventListener("mouseout", function (event) {
    if (find_group(event.target)) say_whole(focused);
});
window.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" && event.target instanceof Element && event.target.id === "search") search_prompt();
    else if (event.key === "Escape") unzoom();
    else if (event.key === "Enter" && focused) focused.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    else if (event.key.indexOf("Arrow") === 0) focus_on(beside(event.key));
    else return;
    event.preventDefault();
});
