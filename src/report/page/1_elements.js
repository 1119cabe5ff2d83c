// SPDX-License-Identifier: Apache-2.0
// Building blocks. Whatever comes from the report becomes a text node or an attribute's value, never markup.

const VERDICTS = {pass: "✓", fail: "✗", error: "!", unsupported: "–", skip: "○"};
const report = JSON.parse(document.getElementById("report").textContent);
const byId = (id) => document.getElementById(id);
const TITLE = report.title || "opref check";
const NOUN = report.title ? "node" : "case";  // what is judged

/// A text as people may read it: control characters and marks of the writing direction show their code points, so that
/// no name of a foreign report is shown as another one.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const shown = (text) => String(text).replace(HIDDEN, (mark) => "\\u" + mark.charCodeAt(0).toString(16).padStart(4, "0"));
const READ_ALOUD = ["title", "aria-label"];

/// An element; attributes that begin with "on" are listeners, false and null leave an attribute out.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, READ_ALOUD.includes(name) ? shown(value) : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null)
    .map((child) => (child instanceof Node ? child : shown(child))));
  return node;
}

const faint = (...children) => el("span", {class: "faint"}, ...children);
const verdictMark = (verdict) =>
  el("span", {class: "verdict " + verdict}, el("span", {"aria-hidden": "true"}, VERDICTS[verdict] + " "), verdict);

/// A table; `columns` are [title, class], `rows` lists of texts or nodes, the first one of which heads its row.
function table(name, columns, rows, attributes) {
  const cell = (content, i) =>
    el(i === 0 ? "th" : "td", {class: columns[i][1], scope: i === 0 ? "row" : null}, content);
  return el("div", {class: "wide", role: "region", "aria-label": name, tabindex: "0"},
    el("table", attributes,
      el("thead", {}, el("tr", {}, columns.map(([title, kind]) => el("th", {class: kind, scope: "col"}, title)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))));
}

/// "1.844e+19", as the elements are written.
const scientific = (number) => String(Number(number.toPrecision(4)).toExponential()).replace(/e([+-])(\d)$/, "e$10$2");
/// Whole numbers with thousands apart; JSON's largest ones are not exact here and show as powers of ten.
function whole(number) {
  return Number(number) < 1e15 ? Number(number).toLocaleString("en") : scientific(Number(number));
}
function casesText(number) {
  return `${whole(number)} ${NOUN}${number === 1 ? "" : "s"}`;
}
/// Four digits; "NaN" and "Inf" are texts already.
function measure(value) {
  if (typeof value !== "number") return value === "Inf" ? "∞" : String(value ?? "");
  const rounded = Number(value.toPrecision(4)), size = Math.abs(rounded);
  if (size >= 1000 && size < 1e15) return rounded.toLocaleString("en");
  return size === 0 || (size >= 0.0001 && size < 1e15) ? String(rounded) : scientific(value);
}
function percent(part, all) {
  if (!all || !part) return "";
  const share = (100 * part) / all;
  return share < 0.1 ? "< 0.1 %" : share > 99.9 && part < all ? "> 99.9 %" : share.toFixed(share < 10 ? 1 : 0) + " %";
}
const seconds = (time) => (time < 0.0005 ? "< 1 ms" : time < 1 ? Math.round(time * 1000) + " ms" : time.toFixed(1) + " s");

/// " (specification)", a link; only the specification's own pages are called so.
function sourceLink(link) {
  if (!/^https?:/.test(link || "")) return null;
  const host = new URL(link).hostname;
  const own = ["onnx.ai", "docs.openvino.ai"].some((name) => host === name || host.endsWith("." + name));
  return [" (", el("a", {href: link, rel: "noreferrer"}, own ? "specification" : "source"), ")"];
}

/// A word for a POSIX shell.
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/// An element; of NaN with other bits than usual the bits stand beside it.
const elementText = (text) => (/^0x/.test(text) ? "NaN" : text);

const placeText = (mismatch) => `[${mismatch.index.join(",")}]`;

function operatorOf(record) {
  if (!record.operator) return "unknown";
  const domain = !record.domain || record.domain === "ai.onnx" ? "" : record.domain + ".";
  return domain + record.operator + (record.since_version ? "-" + record.since_version : "");
}
