// SPDX-License-Identifier: Apache-2.0
// The list of cases that match the filter, drawn a piece at a time.

const PIECE = 100;
let matching = [];
let drawn = 0;

const haystacks = report.cases.map((record) =>
  [record.name, operatorOf(record), record.dtype, record.verdict, record.reason, record.explained_by, record.cause,
   ...(record.causes || []).map((cause) => cause.name)].join("\n").toLowerCase());

function isOfCause(record, group) {
  return Boolean(group) && record.verdict === group.verdict && record.cause === group.cause;
}

/// What was found of a case, in one line.
function causeText(record) {
  return record.explained_by ? (record.within ? "Not reproduced to the bit; closest: " : "Reproduced by: ") + record.explained_by : record.unexplained ? "Nothing known reproduces it" : "";
}

function matches(record, index, words) {
  return words.every((word) => {
    if (word.startsWith("op:")) return operatorOf(record).toLowerCase() === word.slice(3);
    if (word.startsWith("cause:")) return isOfCause(record, (report.causes || [])[Number(word.slice(6)) - 1]);
    if (word.startsWith("type:")) return (record.dtype || "").toLowerCase() === word.slice(5);
    return haystacks[index].includes(word);
  });
}

/// The indices of the cases that the state shows, in its order.
function select(state) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = report.cases.map((_, index) => index).filter((index) =>
    (!state.verdicts.size || state.verdicts.has(report.cases[index].verdict)) && matches(report.cases[index], index, words));
  const key = {
    "": (record) => badness[record.verdict],
    name: () => 0,
    share: (record) => -(largestShare(record) ?? -1),
    time: (record) => -record.seconds,
  }[state.order] || (() => 0);
  return found.sort((a, b) => key(report.cases[a]) - key(report.cases[b]) || a - b);
}

/// The largest share of its outputs; nothing where no bound is known. "Inf" is a text.
function largestShare(record) {
  const shares = (record.outputs || []).map(({comparison}) => comparison.bound_ratio).filter((share) => share != null)
    .map((share) => (share === "Inf" ? Infinity : share));
  return shares.length ? Math.max(...shares) : null;
}

/// The greatest distance of its outputs.
function ulpText(record) {
  const comparisons = (record.outputs || []).map(({comparison}) => comparison);
  if (!comparisons.length) return "";
  const apart = ({reason, mismatches, histogram}) => reason || (mismatches && histogram.none);
  return comparisons.some(apart) ? "no distance" : `${whole(Math.max(...comparisons.map(({max_ulp}) => Number(max_ulp))))} ULP`;
}

/// What the list says of a case beside its names: its share, where it has one.
function figureText(record, state) {
  const share = largestShare(record);
  if (state.order === "time" || (share === null && !report.title)) return seconds(record.seconds);
  return share === null ? ulpText(record) : `share ${share === Infinity ? "∞" : share < 1e4 ? measure(share) : scientific(share)}`;
}

function listItem(record, state) {
  return el("li", {}, el("a", {href: hashOf({...state, name: record.name})},
    verdictMark(record.verdict),
    el("span", {class: "name mono"}, record.name),
    el("span", {class: "operator"}, record.operator ? operatorOf(record) : ""),
    el("span", {class: "type mono"}, record.dtype || ""),
    el("span", {class: "time number faint"}, figureText(record, state)),
    record.reason ? el("span", {class: "reason"}, record.reason) : null,
    causeText(record) ? el("span", {class: "cause"}, causeText(record)) : null));
}

function drawPiece(state) {
  const next = matching.slice(drawn, drawn + PIECE);
  byId("list").append(...next.map((index) => listItem(report.cases[index], state)));
  drawn += next.length;
  byId("more").hidden = drawn >= matching.length;
}

function showList(state) {
  matching = select(state);
  drawn = 0;
  byId("list").replaceChildren();
  byId("count").textContent = matching.length === allCases
    ? casesText(matching.length) : `${whole(matching.length)} of ${casesText(allCases)}`;
  drawPiece(state);
}
