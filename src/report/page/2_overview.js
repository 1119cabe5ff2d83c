// SPDX-License-Identifier: Apache-2.0
// What was judged, and how it went by operator, version and type.

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const badness = {fail: 0, error: 1, unsupported: 2, skip: 3, pass: 4};
const MOST_ROWS = 15;

function countVerdicts(cases) {
  const counts = {};
  for (const verdict of Object.keys(VERDICTS)) counts[verdict] = 0;
  for (const record of cases) counts[record.verdict]++;
  return counts;
}

/// How many cases there are; the page may have fewer.
const allCases = Object.values(report.summary).reduce((sum, number) => sum + number, 0);

/// The rules of the cases that are here.
function ownRules() {
  const rules = new Set(report.cases.flatMap((record) => (record.outputs || []).map((output) => output.rule)).filter(Boolean));
  return rules.size === 1 ? `each case's own, here always ${[...rules][0]}` : "each case's own";
}

/// What is said of the run as a whole; of many lines the first ones, so that the verdicts are near.
function showNotes(all) {
  const notes = report.notes || [];
  const lines = all || notes.length <= MOST_ROWS + 1 ? notes : notes.slice(0, MOST_ROWS);
  const more = notes.length > lines.length &&
    el("li", {class: "more"}, el("button", {type: "button", onclick: () => showNotes(true)}, `Show all ${whole(notes.length)} lines`));
  byId("notes").replaceChildren(...lines.map((line) => el("li", {class: /^ /.test(line) ? "inner" : null}, line.trim())), ...(more ? [more] : []));
}

function showRun() {
  const facts = ["opref " + report.opref, "judged: " + (report.backend || "opref itself")];
  facts.push("rule: " + (report.rule || ownRules()));
  if (report.shards > 1) facts.push(`shard ${report.shard} of ${report.shards}`);
  if (report.started) facts.push(report.started.replace("T", " ").replace("Z", " UTC"));
  facts.push(casesText(allCases) + (report.seconds ? ` in ${seconds(report.seconds)}` : ""));
  if (report.cases.length < allCases) facts.push(`this page has ${whole(report.cases.length)} of them, those that do not pass first; the JSON report has all`);
  if (report.complete === false) facts.push("not complete: some cases were not judged");
  byId("run").textContent = shown(facts.join(" · "));
  byId("title").textContent = shown(TITLE);
  showNotes(false);
  if (report.title) byId("cases-title").textContent = "Nodes";
  byId("list").classList.toggle("distances", Boolean(report.title));
}

/// One button per verdict; `toggle` is called with the verdict.
function showVerdicts(toggle) {
  const counts = report.summary;
  byId("verdicts").replaceChildren(...Object.keys(VERDICTS).map((verdict) =>
    el("button", {type: "button", class: verdict, "data-verdict": verdict, onclick: () => toggle(verdict)},
      el("strong", {}, whole(counts[verdict])), el("span", {}, verdictMark(verdict)))));
  byId("share").replaceChildren(...Object.keys(VERDICTS).filter((verdict) => counts[verdict]).map((verdict) =>
    el("span", {class: verdict, style: `flex: ${counts[verdict]} 0 2px`})));
}

const NOTHING_KNOWN = "no known mistake explains this difference";

/// The address of a cause's cases: its place in the report, whatever rows are shown.
const causeQuery = (group) => ({q: `cause:${report.causes.indexOf(group) + 1}`});

/// " (weak evidence in 2 of 5 cases)": what restricts a cause, else empty.
function restriction(group) {
  const parts = [["near", "not to the bit"], ["weak", "weak evidence"]].filter(([key]) => group[key]).map(([key, what]) =>
    what + (group[key] < group.count ? ` in ${whole(group[key])} of ${whole(group.count)} cases` : ""));
  if (group.share != null) parts.push(`${group.count > 1 ? "shares up to" : "share"} ${measure(group.share)}`);
  return parts.length ? ` (${parts.join(", ")})` : "";
}

/// The rows that are counted by cause, of these verdicts or, with none, of all: a click lists their cases. The last one
/// of all, what nothing known reproduces, is always there.
function showCauses(verdicts, all) {
  const causes = (report.causes || []).filter((group) => !verdicts.size || verdicts.has(group.verdict));
  byId("causes-section").hidden = !causes.length;
  const shown = causes.filter((group, i) => all || i < MOST_ROWS || group.cause === NOTHING_KNOWN);
  const bad = causes.reduce((sum, group) => sum + group.count, 0);
  const mixed = causes.some((group) => group.verdict !== causes[0].verdict);
  const lines = shown.map((group) => [
    [el("a", {href: "#" + new URLSearchParams(causeQuery(group))}, group.cause), faint(restriction(group))],
    ...(mixed ? [verdictMark(group.verdict)] : []),
    [whole(group.count), faint(` of ${whole(bad)}`)],
    [group.meaning || group.link ? el("p", {}, group.meaning, sourceLink(group.link)) : null,
      el("p", {}, faint("for example "), el("a", {href: "#" + new URLSearchParams({...causeQuery(group), case: group.example})}, group.example)),
      group.filter ? el("details", {}, el("summary", {}, "filter for these cases"), el("pre", {}, group.filter)) : null],
  ]);
  const more = causes.length > shown.length &&
    el("button", {type: "button", onclick: () => showCauses(verdicts, true)}, `Show all ${whole(causes.length)} causes`);
  byId("causes").replaceChildren(
    table("Causes of what does not pass", [["Cause", ""], ...(mixed ? [["Verdict", ""]] : []), [report.title ? "Nodes" : "Cases", "number"], ["Meaning", "meaning"]], lines, {class: "causes"}),
    ...(more ? [more] : []));
}

const CHANGES = {
  new_failure: "new failure", fixed: "fixed", other_verdict: "other verdict", other_cause: "other cause",
  other_share: "other share", added: "added", gone: "gone",
};
const MOST_CHANGES = 50;

/// "✗ fail" and why, or that the run does not have the case.
function stateCell(state) {
  if (!state) return faint("not there");
  return [verdictMark(state.verdict), state.share != null ? faint(` share ${measure(state.share)}`) : null,
    state.cause ? el("p", {}, state.cause) : null];
}

/// What differs from the earlier run that this one was compared with; the name of a case that is here leads to it.
function showChanges(all) {
  const baseline = report.baseline;
  byId("changes-section").hidden = !baseline;
  if (!baseline) return;
  byId("changes-title").textContent = shown(`Compared with ${baseline.file}`);
  const counts = Object.entries(CHANGES).map(([change, text]) => [baseline.changes.filter((one) => one.change === change).length, text])
    .filter(([number, text]) => number || text === "new failure").map(([number, text]) => `${text}: ${whole(number)}`);
  byId("changes-run").textContent = shown([...counts, `failed before, too: ${whole(baseline.known_failures)}`, ...(baseline.differences || [])].join(" · "));
  const rows = all ? baseline.changes : baseline.changes.slice(0, MOST_CHANGES);
  const names = new Set(report.cases.map((record) => record.name));
  const lines = rows.map((one) => [
    names.has(one.name) ? el("a", {href: "#" + new URLSearchParams({case: one.name})}, one.name) : one.name,
    CHANGES[one.change], stateCell(one.before), stateCell(one.now)]);
  const more = baseline.changes.length > rows.length &&
    el("button", {type: "button", onclick: () => showChanges(true)}, `Show all ${whole(baseline.changes.length)} changes`);
  byId("changes").replaceChildren(
    ...(rows.length ? [table("Changes since the earlier run", [["Case", "mono"], ["Change", ""], ["Before", "before"], ["Now", "now"]], lines, {class: "causes changes"})] : []),
    ...(more ? [more] : []));
}

function groups() {
  const found = new Map();
  for (const record of report.cases) {
    const key = JSON.stringify([record.domain || "", record.operator || "", record.since_version || 0, record.dtype || ""]);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(record);
  }
  const rows = [...found.entries()].map(([key, cases]) => {
    const [domain, type, version, dtype] = JSON.parse(key);
    return {domain, type, version, dtype, operator: operatorOf(cases[0]), counts: countVerdicts(cases)};
  });
  const bad = (row) => row.counts.fail + row.counts.error;
  const judged = (row) => bad(row) + row.counts.pass > 0;
  return rows.sort((a, b) => bad(b) - bad(a) || judged(b) - judged(a) || order(a.domain, b.domain) || order(a.type, b.type) ||
    a.version - b.version || order(a.dtype, b.dtype));
}

function showSummary(rows, all) {
  const columns = [["Operator", ""], ["Type", "mono"]];
  for (const [verdict, sign] of Object.entries(VERDICTS))
    columns.push([[el("span", {"aria-hidden": "true"}, sign + " "), el("span", {class: "word"}, verdict)], "number " + verdict]);
  const shown = all ? rows : rows.slice(0, MOST_ROWS);
  const lines = shown.map((row) => [
    el("a", {href: "#" + new URLSearchParams({q: `op:${row.operator}` + ` type:${row.dtype}`})}, row.operator),
    row.dtype,
    ...Object.keys(VERDICTS).map((verdict) => (row.counts[verdict] ? whole(row.counts[verdict]) : el("span", {class: "faint"}, "·"))),
  ]);
  const more = rows.length > shown.length &&
    el("button", {type: "button", onclick: () => showSummary(rows, true)}, `Show all ${whole(rows.length)} rows`);
  byId("summary").replaceChildren(table("Cases by operator, version and type", columns, lines, {class: "abbreviated"}), ...(more ? [more] : []));
}
