# SPDX-License-Identifier: Apache-2.0
"""One HTML page of what each runtime gets wrong: a row for each version of an operator, a column for each runtime."""
import collections
import html
import json

import peers
import verdict_groups

SHORT = {"onnxruntime": "ORT", "onnx_reference": "ref", "openvino": "OV", "tract": "tract", "tvm": "TVM", "iree": "IREE",
         "tinygrad": "tiny", "torch": "torch"}
GROUPS = 5  # in a cell

STYLE = """
:root { color-scheme: light dark; --line: #8883; --good: #0a7d4622; --part: #d9a40044; --bad: #d2303055; --quiet: #777;
  --good-text: #0a6b3c; --part-text: #7a5800; --bad-text: #a01818; }
@media (prefers-color-scheme: dark) { :root { --good-text: #6fd8a4; --part-text: #f0c95a; --bad-text: #ff9a92; --quiet: #999; } }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 0 .6rem 4rem; }
h1 { font-size: 1.35rem; line-height: 1.2; margin: 1rem 0 .5rem; } p { max-width: 44rem; margin: .5rem 0; }
table { border-collapse: collapse; }
#totals { font-size: .85rem; font-variant-numeric: tabular-nums; }
#totals td, #totals th { padding: .25rem .5rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line); vertical-align: bottom; }
#totals td:first-child, #totals th:first-child { text-align: left; }
.wide { overflow-x: auto; }
#bar { position: sticky; top: 0; background: Canvas; z-index: 3; padding: .5rem 0 .25rem; display: flex; flex-wrap: wrap; gap: .4rem; }
input, select { font: inherit; padding: .35rem .5rem; min-width: 0; border: 1px solid var(--quiet); border-radius: .4rem; background: Field; }
input { flex: 1 1 8rem; } select { flex: 1 1 8rem; }
#count { flex: 1 0 100%; font-size: .8rem; color: var(--quiet); }
#matrix { width: 100%; table-layout: fixed; }
#matrix th { position: sticky; top: var(--bar, 5.6rem); background: Canvas; z-index: 2; font-size: .72rem; padding: .2rem 0; font-weight: 600; }
#matrix th:first-child { width: 34%; text-align: left; }
#matrix td { padding: 1px; height: 1.9rem; border-bottom: 1px solid var(--line); text-align: center; font-size: .85rem; }
#matrix td:first-child { text-align: left; overflow-wrap: anywhere; line-height: 1.15; font-size: .88rem; }
#matrix small { color: var(--quiet); }
#matrix .domain td { font-weight: 600; padding-top: 1.2rem; font-size: 1rem; border-bottom: 2px solid var(--line); }
#matrix button { all: unset; cursor: pointer; display: block; width: 100%; min-height: 1.8rem; line-height: 1.8rem; border-radius: .3rem;
  text-align: center; font-variant-numeric: tabular-nums; }
#matrix button:focus-visible { outline: 2px solid; }
#matrix .all { background: var(--good); color: var(--good-text); } #matrix .some { background: var(--part); color: var(--part-text); }
#matrix .no { background: var(--bad); color: var(--bad-text); font-weight: 600; } .none { color: var(--quiet); }
dialog { border: 1px solid var(--line); border-radius: .8rem; padding: 1rem; width: min(44rem, 100vw - 1rem); max-height: 85vh; }
dialog::backdrop { background: #0008; } dialog h2 { font-size: 1.1rem; margin: 0 0 .3rem; } dialog ul { padding: 0; list-style: none; }
dialog li { margin: .8rem 0; padding-left: .7rem; border-left: 3px solid var(--part-text); overflow-wrap: anywhere; }
dialog li div { color: var(--quiet); font-size: .85rem; } code { font-size: .82rem; overflow-wrap: anywhere; }
dialog button { font: inherit; padding: .4rem 1.2rem; border-radius: .4rem; border: 1px solid var(--quiet); background: ButtonFace; }
@media (max-width: 46rem) { #totals { font-size: .72rem; } #totals td, #totals th { padding-right: .3rem; } .full { display: none; } dialog { margin-bottom: .5rem; } }
@media (min-width: 46.01rem) { .short { display: none; } #matrix th:first-child { width: 30%; } #matrix th { font-size: .74rem; } }
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
  text('h2', `${row.domain}.${row.name}-${row.version}, ${data.titles[k]}`, dialog);
  text('p', `${plural(values, 'case')} with values: ${pass} pass, ${equal} of them to the bit, ${unsupported} unsupported` +
    (bad ? `. ${refused} of ${plural(bad, 'invalid case')} refused` : ''), dialog);
  const named = classes.map((n, c) => n ? `${n} ${data.classes[c]}` : '').filter(Boolean).join(', ');
  if (named) text('p', `Outputs by the class of their bound: ${named}; largest share ${share}`, dialog);
  const list = text('ul', '', dialog);
  for (const [n, kind, why, name, seen] of groups) {
    const item = text('li', `${n}: ${data.words[kind]}`, list);
    if (data.words[why] !== data.words[kind]) text('div', data.words[why], item);
    if (seen) text('div', `${name}: ${seen}`, item);
    const exact = name.replace(/[.+]/g, '\\\\$&');
    text('code', `opref golden ${row.domain}:${row.name} --negative --filter '^${exact}$' -o CASE && opref check CASE ` +
      `--runner 'python3 scripts/runners/${data.workers[k]}_runner.py'`, item);
  }
  if (more) text('li', `${more} more, of other reasons`, list);
  text('button', 'Close', dialog).onclick = () => dialog.close();
  dialog.showModal();
}
function cell(row, k) {
  const td = document.createElement('td'), c = row.cells[k];
  if (!c) return td;
  const [values, pass, equal, unsupported, bad, refused, wrong, groups] = c, judged = values - unsupported;
  if (judged === 0 && groups.length === 0) { td.textContent = '·'; td.className = 'none'; td.title = 'unsupported'; return td; }
  const share = judged ? pass / judged : 1, words = share === 1 ? (groups.length ? '100' : '✓') : `${Math.floor(100 * share)}`;
  const button = text('button', words, td);
  button.className = wrong ? 'no' : groups.length ? 'some' : 'all';
  button.title = `${data.titles[k]}: ${pass} of ${judged} pass`;
  button.onclick = () => open(row, k);
  return td;
}
const fails = (c, k) => c && c[7].length && (only.value === 'any' || k === +only.value);
function show() {
  const wanted = find.value.trim().toLowerCase();
  const rows = data.rows.filter(row => `${row.domain}.${row.name}-${row.version}`.toLowerCase().includes(wanted) &&
    (only.value === '' || row.cells.some(fails)));
  let domain = '', name = '';
  const made = [];
  for (const row of rows) {
    if (row.domain !== domain) {
      const tr = document.createElement('tr');
      tr.className = 'domain';
      text('td', row.domain, tr).colSpan = data.titles.length + 1;
      made.push(tr);
      domain = row.domain; name = '';
    }
    const tr = document.createElement('tr'), td = text('td', row.name === name ? '' : `${row.name} `, tr);
    text('small', row.version, td);
    name = row.name;
    tr.append(...data.titles.map((_, k) => cell(row, k)));
    made.push(tr);
  }
  body.replaceChildren(...made);
  count.textContent = `${rows.length} of ${data.rows.length} versions. Per cent of the cases that pass; ✓ all, · unsupported. ` +
    'Red: some outputs are wrong. Yellow: errors, fewer digits, or invalid cases accepted.';
  document.documentElement.style.setProperty('--bar', `${bar.offsetHeight - 1}px`);
}
dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
find.value = decodeURIComponent(location.hash.slice(1));
find.oninput = only.onchange = onresize = show;
show();
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
{about}
<div class="wide"><table id="totals"><thead><tr><th>runtime</th><th>cases</th><th>pass</th><th>to the bit</th><th>fail</th><th>error</th>
<th>unsupp.</th></tr></thead><tbody>{totals}</tbody></table></div>
<p>Press a cell: it says what explains the cases that do not pass, with a command for the smallest of each reason.</p>
<form id="bar" onsubmit="return false"><input id="find" type="search" placeholder="operator, as Conv-22" aria-label="operator">
<select id="only" aria-label="rows"><option value="">all rows</option><option value="any">where any fails</option>{options}</select>
<span id="count"></span></form>
<table id="matrix"><thead><tr><th>operator, version</th>{heads}</tr></thead><tbody></tbody></table>
<dialog></dialog>
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
            groups = [[len(members), word(verdict_groups.KINDS[kind]), word(why[:120]), members[0]["name"],
                       shown(verdict_groups.seen(members[0]), why)] for (_, kind, why), members in verdict_groups.grouped(backend, cases)]
            wrong = sum(len(members) for (_, kind, _), members in verdict_groups.grouped(backend, cases) if kind in verdict_groups.WRONG)
            of_class, share, _ = verdict_groups.classes_of(cases)
            more = sum(group[0] for group in groups[GROUPS:])
            rows[key][k] = [len(totals.values), totals.verdicts["pass"], totals.equal, totals.verdicts["unsupported"],
                            totals.refused + totals.accepted, totals.refused, wrong, groups[:GROUPS], more,
                            of_class, f"{share:.3g}"]
    return rows, list(words)


def shown(seen, why):
    """What differs, unless the reason already says it."""
    return "" if seen[:30] == why[:30] else seen[:90]


def page(court_of, about):
    """The page; `court_of` has what is kept of each runtime, in the order of the columns; `about` are its first paragraphs."""
    rows, words = cells(court_of)
    order = sorted(rows.items(), key=lambda row: (row[0][0], row[0][1].lower(), row[0][2]))
    listed = [{"domain": domain, "name": name, "version": version, "cells": row} for (domain, name, version), row in order]
    totals = ""
    for backend, judged in court_of.items():
        count = verdict_groups.Totals(judged.cases)
        numbers = [len(count.values), count.verdicts["pass"], count.equal, *(count.verdicts[one] for one in ("fail", "error", "unsupported"))]
        name = f"{html.escape(peers.title(backend))} <small class=short>({SHORT[backend]})</small>"
        totals += f"<tr><td>{name}</td>" + "".join(f"<td>{number:,}</td>" for number in numbers) + "</tr>"
    data = {"titles": [peers.title(backend) for backend in court_of], "workers": list(court_of), "words": words,
            "classes": verdict_groups.CLASSES, "rows": listed}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    options = "".join(f'<option value="{k}">where {html.escape(peers.name(backend))} fails</option>' for k, backend in enumerate(court_of))
    heads = "".join(f'<th><span class="full">{html.escape(peers.name(backend))}</span><span class="short">{SHORT[backend]}</span></th>'
                    for backend in court_of)
    return PAGE.format(title="What each runtime gets wrong", style=STYLE, about="".join(f"<p>{html.escape(text)}</p>\n" for text in about),
                       totals=totals, options=options, heads=heads, data=text, script=SCRIPT)
