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

function tiles(comparison) {
  const tile = (number, label, tone) => el("div", {class: tone},
    el("strong", {}, whole(number)), el("span", {}, label, " ", percent(number, comparison.count)));
  return el("div", {class: "tiles"},
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
    row("absolute", comparison.absolute, measure(comparison.absolute.max)),
    row("relative", comparison.relative, measure(comparison.relative.max)),
    row("ULP", comparison.ulp, whole(comparison.max_ulp)),
  ]));
}

function histogram(comparison) {
  const bins = Object.entries(comparison.histogram);
  if (!bins.length) return null;
  const place = ([label]) => (label === "none" ? Infinity : parseFloat(label));
  bins.sort((a, b) => place(a) - place(b));
  const most = Math.log1p(Math.max(...bins.map(([, count]) => count)));
  const title = (label) => (label === "none" ? "no distance" : label.split("-").map(whole).join("–"));
  const rows = bins.map(([label, count]) => el("tr", {class: label === "none" ? "far" : null},
    el("th", {scope: "row", class: "number"}, title(label)),
    el("td", {class: "bar", "aria-hidden": "true"}, el("span", {style: `width: ${(100 * Math.log1p(count)) / most}%`})),
    el("td", {class: "number"}, whole(count)), el("td", {class: "number faint"}, percent(count, comparison.count))));
  return el("div", {}, el("h4", {}, "Elements by distance in ULP"),
    el("table", {class: "histogram"}, el("tbody", {}, rows)), el("p", {class: "faint"}, "Bars grow with the logarithm."));
}

/// What is not opref's own: the backend's output, or what the case expects of opref.
const foreign = (mismatch) => (report.backend ? mismatch.actual : mismatch.expected);

/// Explains the element, and what would give the other value; nothing of an element of a sequence.
function explainCommand(record, output, mismatch, options) {
  if (!record.path || mismatch.place) return null;
  const dtype = (output.type || "").split("[")[0];
  return ["opref explain", shellWord(record.path), "--at", shellWord(output.name + placeText(mismatch)),
    "--against", shellWord(`${elementText(foreign(mismatch))}:${dtype}`), ...(options || [])].join(" ");
}

function worstElements(record, output) {
  const comparison = output.comparison;
  const list = comparison.worst_mismatches || [comparison.worst, comparison.first].filter(Boolean);
  if (!list.length) return null;
  const isInteger = /^u?int|^bool/.test(output.type);  // their bits say nothing more
  const bits = (text) => (isInteger ? [] : [text]);
  const columns = [["Index", "mono"], ["actual", "number mono"], ...bits(["bits", "bits number mono faint"]), ["expected", "number mono"], ...bits(["bits", "bits number mono faint"]), ["absolute", "number"], ["relative", "number"], ["ULP", "number"]];
  const rows = list.map((m) => [
    placeText(m) + (m.place ? " of " + m.place : ""), elementText(m.actual), ...bits(m.actual_bits || ""), elementText(m.expected), ...bits(m.expected_bits || ""),
    measure(m.absolute), measure(m.relative), m.ulp == null ? "none" : whole(m.ulp),
  ]);
  const commands = list.map((m) => explainCommand(record, output, m)).filter(Boolean);
  const first = comparison.first && `First in C order: [${comparison.first.index.join(",")}]` + (comparison.first.place ? ` of ${comparison.first.place}.` : ".");
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
  return el("p", {class: "faint"}, "No bound of their own, because the accumulator may overflow: ",
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
    compared ? tiles(comparison) : null,
    withoutBound(comparison),
    where.length ? el("ul", {class: "where"}, where.map((sentence) => el("li", {}, sentence))) : null,
    map ? map.node() : null,
    worstElements(record, output),
    compared ? el("div", {class: "side"}, statistics(comparison), histogram(comparison)) : null);
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
    record.reason ? el("p", {class: "note " + record.verdict}, record.reason) : null,
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
