// SPDX-License-Identifier: Apache-2.0
// What is shown is said by the address: #q=…&v=fail,error&order=name&case=NAME&plane=2

function hashOf(state) {
  const parts = new URLSearchParams();
  if (state.query) parts.set("q", state.query);
  if (state.verdicts.size) parts.set("v", [...state.verdicts].join(","));
  if (state.order) parts.set("order", state.order);
  if (state.name != null) parts.set("case", state.name);
  return "#" + parts;
}

function stateOf(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const verdicts = (parts.get("v") || "").split(",").filter((verdict) => verdict in VERDICTS);
  return {
    query: parts.get("q") || "", verdicts: new Set(verdicts), order: parts.get("order") || "",
    name: parts.get("case"), plane: Math.max(0, (parseInt(parts.get("plane"), 10) || 1) - 1),
  };
}

let current = stateOf("");
let listed = null;  // the state that the list was drawn for

function showOverview() {
  byId("query").value = current.query;
  byId("order").value = current.order;
  for (const button of byId("verdicts").children)
    button.setAttribute("aria-pressed", String(!current.verdicts.size || current.verdicts.has(button.dataset.verdict)));
  if (listed === hashOf(current)) return;
  listed = hashOf(current);
  showCauses(current.verdicts, false);
  showList(current);
}

let scrolled = 0;  // where the overview was left

function show() {
  const before = current;
  current = stateOf(location.hash);
  const record = current.name == null ? null : report.cases.find((one) => one.name === current.name);
  if (before.name == null && record) scrolled = scrollY;
  byId("overview").hidden = Boolean(record);
  byId("case").hidden = !record;
  document.title = record ? `${shown(record.name)} · ${shown(TITLE)}` : shown(TITLE);
  if (!record) {
    current.name = null;
    showOverview();
    if (before.name != null) scrollTo(0, scrolled);
    return;
  }
  const title = showCase(record, current);
  scrollTo(0, 0);
  if (before.name !== current.name) title.focus({preventScroll: true});
}

function filterBy(change) {
  current = {...current, ...change};
  history.replaceState(null, "", hashOf(current));
  showOverview();
}

/// With all of them shown, the first click leaves one; no verdict chosen means all.
function toggle(verdict) {
  const verdicts = new Set(current.verdicts);
  if (!verdicts.delete(verdict)) verdicts.add(verdict);
  filterBy({verdicts: verdicts.size === Object.keys(VERDICTS).length ? new Set() : verdicts});
}

showRun();
showVerdicts(toggle);
showChanges(false);
showSummary(groups(), false);
byId("query").addEventListener("input", () => filterBy({query: byId("query").value}));
byId("order").addEventListener("change", () => filterBy({order: byId("order").value}));
byId("more").addEventListener("click", () => drawPiece(current));
new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && drawPiece(current), {rootMargin: "600px"}).observe(byId("more"));
addEventListener("hashchange", show);
addEventListener("resize", () => maps.forEach((map) => map.draw()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => maps.forEach((map) => map.draw()));
show();
