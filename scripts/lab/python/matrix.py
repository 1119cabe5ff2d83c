# SPDX-License-Identifier: Apache-2.0
"""One HTML page of what each runtime gets wrong: a row for each version of an operator, a column for each runtime."""
import collections
import html
import json

import peers
import verdict_groups

GROUPS = 5  # in a cell

STYLE = """
:root { color-scheme: light dark; --line: #8883; --good: #0a7d4622; --part: #d9a40044; --bad: #d2303055; --quiet: #666;
  --good-text: #0a6b3c; --part-text: #6e5000; --bad-text: #a01818; }
@media (prefers-color-scheme: dark) { :root { --good-text: #6fd8a4; --part-text: #f0c95a; --bad-text: #ff9a92; --quiet: #aaa; } }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 0 .6rem 4rem; }
h1 { font-size: 1.35rem; line-height: 1.2; margin: 1rem 0 .5rem; } p { max-width: 44rem; margin: .5rem 0; }
summary { padding: .5rem 0; cursor: pointer; }
details p { font-size: .9rem; }
table { border-collapse: collapse; }
#totals { font-size: .85rem; font-variant-numeric: tabular-nums; }
#totals td, #totals th { padding: .25rem .5rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: bottom; }
#totals td:first-child, #totals th:first-child { text-align: left; }
.wide { overflow-x: auto; }
#legend { padding: 0; margin: .5rem 0; list-style: none; font-size: .85rem; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
#legend li { display: flex; gap: .5rem; align-items: start; }
#legend b { flex: none; width: 1.9rem; text-align: center; border-radius: .3rem; font-weight: inherit; }
#bar { position: sticky; top: 0; background: Canvas; z-index: 3; padding: .5rem 0 .25rem; display: flex; flex-wrap: wrap; gap: .3rem .4rem; }
input, select { font: inherit; padding: .4rem .5rem; min-width: 0; border: 1px solid var(--quiet); border-radius: .4rem; background: Field;
  flex: 1 1 8rem; }
#matrix { width: 100%; table-layout: fixed; }
#matrix th { position: sticky; top: var(--bar, 3rem); background: Canvas; z-index: 2; font-size: .72rem; padding: .2rem 0; font-weight: 600;
  white-space: nowrap; vertical-align: bottom; }
#matrix th:first-child { width: 21%; text-align: left; white-space: normal; font-weight: 400; color: var(--quiet); }
#matrix td { padding: 1px; border-bottom: 1px solid var(--line); text-align: center; font-size: .85rem; }
#matrix td:first-child { text-align: left; overflow-wrap: anywhere; line-height: 1.15; font-size: .88rem; }
#matrix small, #matrix .again { color: var(--quiet); }
#matrix .domain td { font-weight: 600; padding-top: 1.2rem; font-size: 1rem; border-bottom: 2px solid var(--line); }
#matrix button { all: unset; cursor: pointer; display: block; width: 100%; line-height: 2rem; border-radius: .3rem; text-align: center;
  font-variant-numeric: tabular-nums; }
#matrix button:focus-visible { outline: 2px solid; }
:is(#matrix, #legend) .all { background: var(--good); color: var(--good-text); } .none { color: var(--quiet); }
:is(#matrix, #legend) .some { background: var(--part); color: var(--part-text); }
:is(#matrix, #legend) .no { background: var(--bad); color: var(--bad-text); font-weight: 600; }
dialog { border: 1px solid var(--line); border-radius: .8rem; padding: 0 1rem 1rem; width: min(44rem, 100vw - 1rem); max-height: 85vh; }
dialog::backdrop { background: #0008; } dialog ul { padding: 0; list-style: none; }
dialog header { position: sticky; top: 0; background: Canvas; display: flex; gap: .6rem; align-items: start; padding: .8rem 0 .3rem; }
dialog h2 { font-size: 1.1rem; margin: .25rem 0 0; flex: 1; overflow-wrap: anywhere; }
dialog li { margin: .8rem 0; padding-left: .7rem; border-left: 3px solid var(--part-text); overflow-wrap: anywhere; }
dialog li.wrong { border-color: var(--bad-text); }
dialog li div { color: var(--quiet); font-size: .85rem; }
code { font-size: .82rem; overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
dialog button { font: inherit; padding: .4rem 1rem; border-radius: .4rem; border: 1px solid var(--quiet); background: ButtonFace;
  color: ButtonText; }
@media (max-width: 60rem) { #matrix th:not(:first-child) div { writing-mode: vertical-rl; transform: rotate(180deg); margin: 0 auto; } }
@media (max-width: 46rem) { #totals { font-size: .72rem; } #totals td, #totals th { padding-right: .3rem; } .full { display: none; }
  #matrix th:first-child { width: 31%; } #matrix button { line-height: 2.3rem; } dialog { margin-bottom: .5rem; } }
"""

SCRIPT = """
const data = JSON.parse(document.getElementById('data').textContent);
const body = document.querySelector('#matrix tbody'), find = document.getElementById('find'), only = document.getElementById('only');
const dialog = document.querySelector('dialog'), count = document.getElementById('count'), bar = document.getElementById('bar');
const text = (name, content, parent) => { const e = document.createElement(name); e.textContent = content; parent.append(e); return e; };
const plural = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;
function open(row, k) {
  const [values, pass, equal, unsupported, bad, refused, wrong, groups, more, classes, share] = row.cells[k];
  dialog.replaceChildren();
  const head = text('header', '', dialog);
  text('h2', `${row.domain}.${row.name}-${row.version}, ${data.titles[k]}`, head);
  text('button', 'Close', head).onclick = () => dialog.close();
  text('p', `${plural(values, 'case')} with values: ${pass} pass, ${equal} of them to the bit, ${unsupported} unsupported` +
    (bad ? `. ${refused} of ${plural(bad, 'invalid case')} refused` : '') + '.', dialog);
  const named = classes.map((n, c) => n ? `${n} ${data.classes[c] === 'none' ? 'of none' : data.classes[c]}` : '').filter(Boolean).join(', ');
  if (named) text('p', `Outputs that have an error bound, by class of kernel (opref help comparing): ${named}. ` +
    `The largest error is ${share} times what the bound allows.`, dialog);
  const list = text('ul', '', dialog);
  for (const [n, kind, why, name, seen] of groups) {
    const item = text('li', `${plural(n, 'case')}: ${data.words[kind]}`, list);
    if (data.wrong.includes(data.words[kind])) item.className = 'wrong';
    if (data.words[why] !== data.words[kind]) text('div', data.words[why], item);
    text('div', seen ? `${name}: ${seen}` : name, item);
    const exact = name.replace(/[.+]/g, '\\\\$&');
    text('code', `opref golden ${row.domain}:${row.name} --negative --filter '^${exact}$' -o CASE --replace && opref check CASE ` +
      `--runner '${data.runners[k]}'`, item);
  }
  if (more) text('li', `${plural(more, 'case')} more, of other reasons`, list);
  dialog.showModal();
  dialog.scrollTop = 0;
}
function cell(row, k) {
  const td = document.createElement('td'), c = row.cells[k];
  if (!c) return td;
  const [values, pass, equal, unsupported, bad, refused, wrong, groups] = c, judged = values - unsupported;
  if (judged === 0 && groups.length === 0) {
    td.textContent = '·'; td.className = 'none'; td.title = 'unsupported';
    return td;
  }
  const button = text('button', pass === judged ? '✓' : `${Math.floor(100 * pass / judged)}`, td);
  button.className = wrong ? 'no' : groups.length ? 'some' : 'all';
  button.title = `${data.titles[k]}: ${pass} of ${judged} pass`;
  button.onclick = () => open(row, k);
  return td;
}
// The choices "w" and "f", of all runtimes, or with the number of one: some output is wrong; not all pass.
function chosen(row) {
  const [kind, which] = [only.value[0], only.value.slice(1)];
  return !kind || row.cells.some((c, k) => c && (which === '' || k === +which) && (kind === 'w' ? c[6] : c[7].length));
}
let last = 0;
function show() {
  const words = find.value.trim().toLowerCase().split(/\\s+/), mine = ++last;
  const rows = data.rows.filter(row => chosen(row) &&
    words.every(word => `${row.domain}.${row.name}-${row.version}`.toLowerCase().includes(word)));
  let domain = '', name = '', next = 0;
  body.replaceChildren();
  function more() {  // a screen at once, the rest in pieces, so that the page answers meanwhile
    if (mine !== last) return;
    const made = [];
    for (const end = next + (next ? 120 : 40); next < end && next < rows.length; next++) {
      const row = rows[next];
      if (row.domain !== domain) {
        const tr = document.createElement('tr');
        tr.className = 'domain';
        text('td', row.domain, tr).colSpan = data.titles.length + 1;
        made.push(tr);
        domain = row.domain; name = '';
      }
      const tr = document.createElement('tr'), td = text('td', '', tr);
      text('span', `${row.name} `, td).className = row.name === name ? 'again' : '';
      text('small', row.version, td);
      name = row.name;
      tr.append(...data.titles.map((_, k) => cell(row, k)));
      made.push(tr);
    }
    body.append(...made);
    if (next < rows.length) setTimeout(more);
  }
  more();
  count.textContent = `${rows.length} of ${data.rows.length} versions`;
  document.documentElement.style.setProperty('--bar', `${bar.offsetHeight - 1}px`);
}
dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
if (innerWidth < 736) document.querySelector('details').open = false;
function follow() {
  try { find.value = decodeURIComponent(location.hash.slice(1)); } catch { find.value = ''; }
  show();
}
find.oninput = () => { history.replaceState(null, '', `#${encodeURIComponent(find.value)}`); show(); };
onresize = () => document.documentElement.style.setProperty('--bar', `${bar.offsetHeight - 1}px`);
only.onchange = show; onhashchange = follow;
follow();
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
<p>A row for each version of an operator, a column for each runtime. Press a cell: it says why cases do not pass, and has a command for the
smallest case of each reason.</p>
<details open><summary>{summary}</summary>
{about}
<div class="wide"><table id="totals"><thead><tr><th>runtime</th><th>judged</th><th>cases</th><th>pass</th><th class="full">to the bit</th>
<th>fail</th><th>error</th><th>unsupp.</th></tr></thead><tbody>{totals}</tbody></table></div></details>
<ul id="legend"><li><b class="all">✓</b>all cases pass</li><li><b class="no">91</b>91 % pass, some outputs are wrong</li>
<li><b class="some">91</b>91 % pass, the others are errors or lack digits</li><li><b class="some">✓</b>all pass, but it accepts invalid cases</li>
<li><b class="none">·</b>unsupported, not counted</li><li><b></b>empty: not judged</li></ul>
<form id="bar" onsubmit="return false"><input id="find" type="search" placeholder="Conv-22" aria-label="operator">
<select id="only" aria-label="rows"><option value="">all rows</option>{options}</select>
</form>
<table id="matrix"><thead><tr><th id="count" aria-live="polite"></th>{heads}</tr></thead><tbody></tbody></table>
<dialog></dialog>
<noscript><p>The matrix needs JavaScript.</p></noscript>
<script type="application/json" id="data">{data}</script><script>{script}</script></body></html>
"""


def cells(court_of):
    """Of each operator version and runtime the numbers and the largest groups; and the words that these use."""
    words, rows = {}, collections.defaultdict(lambda: [None] * len(court_of))

    def word(text):
        return words.setdefault(text, len(words))

    for k, (backend, judged) in enumerate(court_of.items()):
        versions = collections.defaultdict(list)
        for case in judged.cases:
            if "operator" in case and "since_version" in case and verdict_groups.is_counted(case):
                versions[case["domain"], case["operator"], case["since_version"]].append(case)
        for key, cases in versions.items():
            totals = verdict_groups.Totals(cases)
            groups = [[len(members), word(verdict_groups.KINDS[kind]), word(reason(kind, why)), members[0]["name"],
                       verdict_groups.seen_beside(members[0], why)[:90]] for (_, kind, why), members in verdict_groups.grouped(backend, cases)]
            wrong = sum(len(members) for (_, kind, _), members in verdict_groups.grouped(backend, cases) if kind in verdict_groups.WRONG)
            of_class, share, _ = verdict_groups.classes_of(cases)
            more = sum(group[0] for group in groups[GROUPS:])
            rows[key][k] = [len(totals.values), totals.verdicts["pass"], totals.equal, totals.verdicts["unsupported"],
                            totals.refused + totals.accepted, totals.refused, wrong, groups[:GROUPS], more,
                            of_class, f"{share:.3g}"]
    return rows, list(words)


def reason(kind, why):
    """In words, unless the kind already says it."""
    return verdict_groups.KINDS[kind] if kind == "accepted" else why[:120]


def page(court_of, about):
    """The page; `court_of` has what is kept of each runtime, in the order of the columns; `about` are its first paragraphs."""
    rows, words = cells(court_of)
    order = sorted(rows.items(), key=lambda row: (row[0][0], row[0][1].lower(), row[0][2]))
    listed = [{"domain": domain, "name": name, "version": version, "cells": row} for (domain, name, version), row in order]
    totals = ""
    for backend, judged in court_of.items():
        count = verdict_groups.Totals(judged.cases)
        numbers = [len(count.values), count.verdicts["pass"], count.equal, *(count.verdicts[one] for one in ("fail", "error", "unsupported"))]
        totals += f"<tr><td>{html.escape(peers.title(backend))}</td><td>{100 * len(judged.cases) / judged.all:.0f}&nbsp;%</td>" + "".join(
            f"<td{' class=full' if k == 2 else ''}>{number:,}</td>" for k, number in enumerate(numbers)) + "</tr>"
    data = {"titles": [peers.title(backend) for backend in court_of], "runners": list(map(peers.runner, court_of)), "words": words,
            "wrong": [verdict_groups.KINDS[kind] for kind in verdict_groups.WRONG], "classes": verdict_groups.CLASSES, "rows": listed}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    names = [html.escape(peers.name(backend)) for backend in court_of]
    heads = "".join(f"<th><div>{name}</div></th>" for name in names)
    newest = max(max(judged.dates) for judged in court_of.values())
    return PAGE.format(title="What each runtime gets wrong", style=STYLE, about="".join(f"<p>{html.escape(text)}</p>\n" for text in about),
                       summary=f"{verdict_groups.plural(len(court_of), 'runtime')}, judged by opref until {newest}: versions and totals",
                       totals=totals, options=choices("w", "wrong outputs", names) + choices("f", "not all pass", names), heads=heads,
                       data=text, script=SCRIPT)


def choices(kind, label, names):
    """Options of the rows to show: of any runtime, and of each."""
    options = [("", "any runtime"), *enumerate(names)]
    return f'<optgroup label="{label}">' + "".join(
        f'<option value="{kind}{number}">{name}: {label}</option>' for number, name in options) + "</optgroup>"
