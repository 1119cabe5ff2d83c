# SPDX-License-Identifier: Apache-2.0
"""One HTML page of what each runtime gets wrong: a row for each version of an operator, a column for each runtime."""
import collections
import html
import json

import peers

STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #2a7; --part: #b80; --bad: #c33; --none: #888; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 0 .8rem 3rem; }
h1 { font-size: 1.3rem; } p { max-width: 46rem; }
form { position: sticky; top: 0; background: Canvas; padding: .5rem 0; display: flex; flex-wrap: wrap; gap: .5rem; z-index: 2; }
input, select { font: inherit; padding: .25rem .4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .45rem; text-align: left; white-space: nowrap; }
th:first-child, td:first-child { position: sticky; left: 0; background: Canvas; }
td button { all: unset; cursor: pointer; }
td button:focus-visible { outline: 2px solid; }
.pass { color: var(--good); } .part { color: var(--part); } .fail { color: var(--bad); font-weight: 600; } .none { color: var(--none); }
dialog { max-width: min(40rem, 92vw); } dialog li { overflow-wrap: anywhere; } code { font-size: .9em; overflow-wrap: anywhere; }
"""

SCRIPT = """
const data = JSON.parse(document.getElementById('data').textContent);
const body = document.querySelector('#matrix tbody'), find = document.getElementById('find'), only = document.getElementById('only');
const dialog = document.querySelector('dialog'), count = document.getElementById('count');
const text = (name, content, parent) => { const e = document.createElement(name); e.textContent = content; parent.append(e); return e; };
function cell(row, k) {
  const td = document.createElement('td'), c = row[2][k];
  if (!c) { td.textContent = '–'; td.className = 'none'; return td; }
  const [pass, all, unsupported, groups] = c, judged = all - unsupported;
  const words = judged === 0 ? 'no' : `${pass}/${judged}`;
  td.className = judged === 0 ? 'none' : pass === judged ? 'pass' : pass === 0 ? 'fail' : 'part';
  if (groups.length === 0) { td.textContent = words; return td; }
  const button = text('button', words, td);
  button.onclick = () => {
    dialog.replaceChildren();
    text('h2', `${row[0]}-${row[1]}, ${data.backends[k]}`, dialog);
    text('p', `${all} cases: ${pass} pass, ${unsupported} unsupported`, dialog);
    const list = text('ul', '', dialog);
    for (const [verdict, n, why, example] of groups) {
      const item = text('li', `${n} ${verdict}: ${data.words[why]} `, list);
      text('code', example, item);
    }
    const close = text('button', 'Close', dialog); close.onclick = () => dialog.close();
    dialog.showModal();
  };
  return td;
}
function show() {
  const wanted = find.value.toLowerCase(), rows = [];
  for (const row of data.rows) {
    if (!row[0].toLowerCase().includes(wanted)) continue;
    const fails = (c, k) => c && c[0] < c[1] - c[2] && (only.value === 'any' || k === +only.value);
    if (only.value !== '' && !row[2].some(fails)) continue;
    rows.push(row);
  }
  body.replaceChildren(...rows.map(row => {
    const tr = document.createElement('tr');
    text('td', `${row[0]}-${row[1]}`, tr);
    tr.append(...data.backends.map((_, k) => cell(row, k)));
    return tr;
  }));
  count.textContent = `${rows.length} of ${data.rows.length} versions`;
}
find.oninput = only.onchange = show;
show();
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
<p>{about}</p>
<div class="wide"><table><thead><tr><th>runtime</th><th>cases</th><th>pass</th><th>to the bit</th><th>fail</th><th>error</th><th>unsupported</th></tr></thead>
<tbody id="totals">{totals}</tbody></table></div>
<form onsubmit="return false"><input id="find" type="search" placeholder="operator" aria-label="operator">
<select id="only" aria-label="rows"><option value="">all versions</option><option value="any">where some runtime fails</option>{options}</select>
<span id="count"></span></form>
<div class="wide"><table id="matrix"><thead><tr><th>operator</th>{heads}</tr></thead><tbody></tbody></table></div>
<dialog></dialog>
<script type="application/json" id="data">{data}</script><script>{script}</script></body></html>
"""


def row_key(case):
    domain = case.get("domain", "ai.onnx")
    return (case["operator"] if domain == "ai.onnx" else f"{domain}.{case['operator']}"), case["since_version"]


def cells(judged, explanation):
    """Of each runtime and operator version: passes, all, unsupported, and what explains the rest with an example."""
    words, rows = {}, collections.defaultdict(lambda: [None] * len(judged))
    for k, cases in enumerate(judged.values()):
        groups = collections.defaultdict(list)
        for case in cases:
            if "operator" not in case or "since_version" not in case or case["verdict"] == "skip":
                continue
            row = rows[row_key(case)]
            row[k] = row[k] or [0, 0, 0, []]
            row[k][0] += case["verdict"] == "pass"
            row[k][1] += 1
            row[k][2] += case["verdict"] == "unsupported"
            if case["verdict"] in ("fail", "error"):
                groups[row_key(case), case["verdict"], explanation(case)].append(case["name"])
        for (key, verdict, why), names in sorted(groups.items(), key=lambda group: -len(group[1])):
            rows[key][k][3].append([verdict, len(names), words.setdefault(why, len(words)), min(names, key=len)])
    return rows, list(words)


def page(judged, explanation, about):
    """The page; `judged` has the cases of each runtime by its title, in the order of the columns."""
    rows, words = cells(judged, explanation)
    listed = [[name, version, row] for (name, version), row in sorted(rows.items(), key=lambda row: (row[0][0].lower(), row[0][1]))]
    totals = ""
    for title, cases in judged.items():
        count = collections.Counter(case["verdict"] for case in cases)
        equal = sum(case["verdict"] == "pass" and peers.is_bit_equal(case) for case in cases)
        numbers = [len(cases), count["pass"], equal, count["fail"], count["error"], count["unsupported"]]
        totals += f"<tr><td>{html.escape(title)}</td>" + "".join(f"<td>{number}</td>" for number in numbers) + "</tr>"
    titles = list(judged)
    data = json.dumps({"backends": titles, "words": words, "rows": listed}, separators=(",", ":")).replace("</", "<\\/")
    options = "".join(f'<option value="{k}">where {html.escape(title)} fails</option>' for k, title in enumerate(titles))
    heads = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    return PAGE.format(title="What each runtime gets wrong", style=STYLE, about=html.escape(about), totals=totals, options=options,
                       heads=heads, data=data, script=SCRIPT)
