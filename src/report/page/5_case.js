// SPDX-License-Identifier: Apache-2.0
// One case in full.

let maps = [];

function facts(pairs) {
  return el("dl", {class: "facts"}, pairs.filter(([, text]) => text).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
}

function command(text) {
  const status = el("span", {role: "status", class: "unseen"});
  const code = el("pre", {}, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // not allowed to this page: as by hand
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = status.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  const button = el("button", {type: "button", onclick: copy}, "Copy");
  return el("div", {class: "command"}, code, button, status);
}

/// The class of a kernel, in words.
const CLASSES = {
  accurate: "by opref's own formula", page: "by the page's formula",
  absolute: "a kernel whose functions are exact to 5 ULP of 1 passes", flush: "a kernel that takes subnormal numbers as 0 passes",
};

/// What the share is, and by which formula an output passes.
function shareNote(comparison) {
  if (comparison.bound_ratio == null) return null;
  const accurate = comparison.accurate_ratio != null && comparison.accurate_ratio !== comparison.bound_ratio ? ` By opref's own formula the largest share is ${measure(comparison.accurate_ratio)}.` : "";
  return el("p", {class: "faint"}, `Share: an error over the greatest one that a right ${comparison.bound_accumulator} kernel may make; above 1 an element fails.${accurate}`);
}

function tiles(comparison) {
  const tile = (number, label, tone) => el("div", {class: tone},
    el("strong", {}, whole(number)), el("span", {}, label, " ", percent(number, comparison.count)));
  return el("div", {class: "tiles"},
    comparison.bound_ratio == null ? null : el("div", {class: comparison.bound_ratio <= 1 ? "pass" : "fail"},
      el("strong", {}, measure(comparison.bound_ratio)), el("span", {}, `largest share${comparison.bound_class ? ", " + CLASSES[comparison.bound_class] : ""}`)),
    el("div", {}, el("strong", {}, whole(comparison.count)), el("span", {}, "elements compared")),
    tile(comparison.mismatches, "do not pass", comparison.mismatches ? "fail" : "pass"),
    tile(comparison.bit_equal, "equal bits"),
    tile(comparison.within_one_ulp, "within 1 ULP"),
    comparison.without_bound ? tile(comparison.without_bound, "have no bound of their own") : null);
}

function statistics(comparison) {
  const row = (name, summary, most) => [name, most, measure(summary.mean), whole(summary.count)];
  const columns = [["Error", ""], ["greatest", "number"], ["mean", "number"], ["of elements", "number"]];
  return el("div", {}, el("h4", {}, "Errors of all elements"), table("Errors of all elements", columns, [
    ...(comparison.bound_ratio == null ? [] : [["share", measure(comparison.bound_ratio), `median ${measure(comparison.bound_median ?? 0)}`, whole(comparison.count)]]),
    row("absolute", comparison.absolute, measure(comparison.absolute.max)),
    row("relative", comparison.relative, measure(comparison.relative.max)),
    row("ULP", comparison.ulp, whole(comparison.max_ulp)),
  ]));
}

/// Bars of [label, count, whether they are far]; all counts together are `all`.
function histogram(name, bins, all) {
  if (!bins.length) return null;
  const most = Math.log1p(Math.max(...bins.map(([, count]) => count)));
  const rows = bins.map(([label, count, far]) => el("tr", {class: far ? "far" : null},
    el("th", {scope: "row", class: "number"}, label),
    el("td", {class: "bar", "aria-hidden": "true"}, el("span", {style: `width: ${(100 * Math.log1p(count)) / most}%`})),
    el("td", {class: "number"}, whole(count)), el("td", {class: "number faint"}, percent(count, all))));
  return el("div", {}, el("h4", {}, name),
    el("table", {class: "histogram"}, el("tbody", {}, rows)), el("p", {class: "faint"}, "Bars grow with the logarithm."));
}

function ulpHistogram(comparison) {
  const place = ([label]) => (label === "none" ? Infinity : parseFloat(label));
  const title = (label) => (label === "none" ? "no distance" : label.split("-").map(whole).join("–"));
  const bins = Object.entries(comparison.histogram).sort((a, b) => place(a) - place(b));
  return histogram("Elements by distance in ULP", bins.map(([label, count]) => [title(label), count, label === "none"]), comparison.count);
}

function shareHistogram(comparison) {
  const labels = ["0", "to 0.1", "to 1", "to 10", "above 10"], counts = comparison.bound_histogram || {};
  const bins = labels.filter((label) => counts[label]).map((label) => [label, counts[label], labels.indexOf(label) > 2]);
  return histogram("Elements by share", bins, comparison.count);
}

/// What is not opref's own: the backend's output, or what the case expects of opref.
const foreign = (mismatch) => (report.backend ? mismatch.actual : mismatch.expected);

/// Explains the element, and what would give the other value; nothing of an element of a sequence.
function explainCommand(record, output, mismatch, options) {
  if (record.path && isOfMap(mismatch) && !mismatch.place.includes("…"))
    return ["opref explain", shellWord(record.path), "--at", shellWord(output.name + mismatch.place), "--against", shellWord(elementText(foreign(mismatch))), ...(options || [])].join(" ");
  if (!record.path || mismatch.place) return null;
  const dtype = (output.type || "").split("[")[0];
  return ["opref explain", shellWord(record.path), "--at", shellWord(output.name + placeText(mismatch)),
    "--against", shellWord(`${elementText(foreign(mismatch))}:${dtype}`), ...(options || [])].join(" ");
}

/// Of maps the place is a whole path, [0]["a"].
const isOfMap = (mismatch) => (mismatch.place || "").startsWith("[");
function whereText(mismatch, ofTensor = placeText) {
  if (isOfMap(mismatch)) return mismatch.place;
  return ofTensor(mismatch) + (mismatch.place ? ` of ${mismatch.place}` : "");
}

function worstElements(record, output) {
  const comparison = output.comparison;
  const list = comparison.worst_mismatches || [comparison.worst, comparison.first].filter(Boolean);
  if (!list.length) return null;
  const isInteger = /^u?int|^bool/.test(output.type);  // their bits say nothing more
  const bits = (text) => (isInteger ? [] : [text]);
  const shares = (...texts) => (list.some((m) => m.share != null) ? texts : []);  // by the rule bound
  const columns = [[list.some(isOfMap) ? "Key" : "Index", "mono"], ["actual", "number mono"], ...bits(["bits", "bits number mono faint"]), ["expected", "number mono"], ...bits(["bits", "bits number mono faint"]), ...shares("share", "allowed ±").map((title) => [title, "number"]), ["absolute", "number"], ["relative", "number"], ["ULP", "number"]];
  const rows = list.map((m) => [
    whereText(m), elementText(m.actual), ...bits(m.actual_bits || ""), elementText(m.expected), ...bits(m.expected_bits || ""),
    ...shares(measure(m.share), m.allowed == null ? "none" : measure(m.allowed)), measure(m.absolute), measure(m.relative), m.ulp == null ? "none" : whole(m.ulp),
  ]);
  const commands = list.map((m) => explainCommand(record, output, m)).filter(Boolean);
  const first = comparison.first && `First ${isOfMap(comparison.first) ? "by key" : "in C order"}: ${whereText(comparison.first, (m) => `[${m.index.join(",")}]`)}.`;
  return el("div", {}, el("h4", {}, "Worst elements"), table("Worst elements", columns, rows, {class: "worst"}),
    first ? el("p", {class: "faint"}, first) : null,
    commands.length ? el("p", {}, "Why each of them is what it is, and what would give the other value:") : null,
    commands.slice(0, 1).map(command),
    commands.length > 1 ? el("details", {}, el("summary", {}, `${whole(commands.length - 1)} more`), commands.slice(1).map(command)) : null);
}

function withoutBound(comparison) {
  const first = comparison.first_without_bound || [];
  if (!first.length) return null;
  const more = comparison.without_bound - first.length;
  return el("p", {class: "faint"}, "No bound of their own, because such a kernel may meet Inf or NaN there: ",
    el("span", {class: "mono"}, first.map((index) => `[${index.join(",")}]`).join(", ")), more > 0 ? ` and ${whole(more)} more.` : ".");
}

function outputSection(record, output, plane) {
  const comparison = output.comparison, compared = comparison.count > 0;
  const where = comparison.where || [];
  let map = null;
  if (output.errors && output.errors.cells) {
    map = new ErrorMap(output, plane);
    maps.push(map);
  }
  return el("section", {class: "output"},
    el("h3", {}, `Output ${output.name}: ${output.type}`),
    compared ? el("p", {}, "Rule: ", output.rule) : null,
    comparison.reason && !(record.reason || "").includes(comparison.reason) ? el("p", {class: "note fail"}, comparison.reason) : null,
    compared ? shareNote(comparison) : null,
    compared ? tiles(comparison) : null,
    withoutBound(comparison),
    where.length ? el("ul", {class: "where"}, where.map((sentence) => el("li", {}, sentence))) : null,
    map ? map.node() : null,
    worstElements(record, output),
    compared ? el("div", {class: "side"}, statistics(comparison), shareHistogram(comparison), ulpHistogram(comparison)) : null);
}

function pairsTable(title, pairs, columns) {
  if (!pairs || !pairs.length) return null;
  return el("div", {}, el("h3", {}, title), table(title, columns, pairs));
}

function readingsTable(record) {
  const others = (reading) => [...(reading.others || []), ...(reading.possible || []).map((name) => name + " (perhaps)")];
  return pairsTable("Readings that decide this result", (record.readings || []).map((reading) => [reading.name,
    reading.in_force + (reading.stands_for && reading.stands_for !== reading.in_force ? ` (here: ${reading.stands_for})` : "") +
      (reading.selected ? ", chosen by the case" : ""), others(reading).join(", ")]),
  [["Reading", "mono"], ["In force", "mono"], ["Another result with", "mono"]]);
}

function neighbours(record, state) {
  const list = select(state), at = list.findIndex((index) => report.cases[index].name === record.name);
  const link = (index, text) => (index === undefined || at < 0 ? null
    : el("a", {href: hashOf({...state, name: report.cases[index].name})}, text));
  return el("nav", {"aria-label": "Cases"}, el("a", {href: hashOf({...state, name: null})}, `← All ${NOUN}s`),
    link(list[at - 1], "Previous"), link(list[at + 1], "Next"),
    at < 0 ? null : faint(`${whole(at + 1)} of ${whole(list.length)}`));
}

/// How to see that a reading, or two, is what does it.
function withReading(record, cause) {
  const choices = /^readings? ([\w.]+=[^ ,]+(?:, [\w.]+=[^ ,]+)*)$/.exec(cause.name);
  if (!choices || !record.path) return null;
  const options = choices[1].split(", ").flatMap((choice) => ["--reading", shellWord(choice)]);
  if (!report.backend) return command(["opref run", shellWord(record.path), "--expect-case", ...options].join(" "));
  const output = (record.outputs || []).find(({comparison}) => comparison.first && !comparison.first.place);
  return command(output ? explainCommand(record, output, output.comparison.first, options)
    : ["opref run", shellWord(record.path), ...options].join(" "));
}

/// All that reproduce the output equally well.
function causesNote(record) {
  if (record.unexplained) return el("p", {class: "note"}, "Nothing known reproduces it: opref tried readings, other arithmetic and known mistakes.", sameCause(record));
  const causes = record.causes || (record.explained_by ? [{name: record.explained_by}] : []);
  if (!causes.length) return null;
  const said = new Set();  // what several causes have in common stands once
  const once = (text) => (!text || said.has(text) ? "" : (said.add(text), text));
  const item = (cause) => {
    const meaning = once(cause.meaning), link = once(cause.link);
    return el("li", {}, el("strong", {}, cause.name), meaning ? ": " + meaning : "", sourceLink(link), withReading(record, cause));
  };
  return el("div", {class: "note"}, record.within ? `Nothing known reproduces the output to the bit. What comes closest (${[record.within, record.doubt].filter(Boolean).join("; ")}):`
      : `What reproduces the output bit for bit${record.doubt ? ` (${record.doubt})` : ""}:`,
    el("ul", {}, causes.map(item)), sameCause(record));
}

/// A link to all cases of its cause.
function sameCause(record) {
  const group = (report.causes || []).find((one) => isOfCause(record, one));
  if (!group || group.count < 2) return null;
  return el("p", {}, el("a", {href: "#" + new URLSearchParams(causeQuery(group))}, `All ${casesText(group.count)} of this cause`));
}

/// The inputs with their types; of small ones the values too.
function inputsTable(record) {
  const values = new Map(record.values || []);
  const rows = (record.inputs || []).map(([name, type]) => [name, type, ...(values.size ? [(values.get(name) || "").replaceAll(",", ", ")] : [])]);
  return pairsTable("Inputs", rows, [["Name", ""], ["Type", "mono"], ...(values.size ? [["Values", "mono values"]] : [])]);
}

function showCase(record, state) {
  maps = [];
  const title = el("h2", {tabindex: "-1"}, verdictMark(record.verdict), " ", el("span", {class: "mono"}, record.name));
  byId("case").replaceChildren(...[
    neighbours(record, state), title,
    record.reason ? el("div", {class: "note " + record.verdict}, record.reason,
      record.advice ? el("p", {class: "faint"}, record.advice) : null) : null,
    causesNote(record) || sameCause(record),
    el("div", {class: "side"},
      el("div", {}, el("h3", {}, report.title ? "Node" : "Case"), facts([
        ["Operator", record.operator ? operatorOf(record) : ""], ["Opset", record.opset ? String(record.opset) : ""],
        ["Type", record.dtype], ["Time", seconds(record.seconds)], ["File", record.path],
      ])),
      pairsTable("Attributes in force", record.attributes, [["Name", ""], ["Value", "mono"]]),
      inputsTable(record)),
    readingsTable(record),
    record.repeat ? el("div", {}, el("h3", {}, "Repeat it alone"), command(record.repeat)) : null,
    (record.outputs || []).map((output) => outputSection(record, output, state.plane)),
    (record.warnings || []).length ? el("div", {}, el("h3", {}, report.title ? "Notes" : "Warnings"), el("ul", {}, record.warnings.map((text) => el("li", {}, text)))) : null,
    record.stderr_tail ? el("div", {}, el("h3", {}, "Last lines of the runner"), el("pre", {class: "tail", tabindex: "0"}, record.stderr_tail)) : null,
  ].flat().filter(Boolean));
  return title;
}
