# SPDX-License-Identifier: Apache-2.0
"""What the page of a report says of the run, by its scripts themselves on a document that is only as much of one as they
ask for. Needs Node.js, and is skipped (77) where that is not installed: nothing else of opref needs it."""
import json
import pathlib
import shutil
import subprocess
import sys

PAGE = pathlib.Path("src/report/page")
DOCUMENT = """
const elements = {};
class Node {
  constructor(tag) { Object.assign(this, {tag, children: [], attributes: {}, listeners: {}}); }
  set textContent(text) { this.children = [String(text)]; }
  get textContent() { return this.children.map((child) => typeof child === "string" ? child : child.textContent).join(""); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  append(...children) { this.children.push(...children.flat().map((child) => child instanceof Node ? child : String(child))); }
  replaceChildren(...children) { this.children = []; this.append(...children); }
}
const document = {
  getElementById: (id) => elements[id] ??= new Node(id),
  createElement: (tag) => new Node(tag),
  createTextNode: (text) => text,
};
document.getElementById("report").textContent = REPORT;
"""
ASKED = """
const lines = () => byId("notes").children.map((line) => [line.attributes.class ?? "", line.textContent]);
showNotes(false);
const first = lines(), more = byId("notes").children.at(-1)?.children[0];
more?.listeners?.click();
console.log(JSON.stringify([first, lines()]));
"""


def notes(lines):
    """Of the page at first, and after the button that shows all, if there is one: class and text of each line."""
    report = {"summary": {"pass": 1}, "cases": [], "notes": lines}
    script = "".join([DOCUMENT.replace("REPORT", json.dumps(json.dumps(report))),
                      *((PAGE / file).read_text() for file in ("1_elements.js", "2_overview.js")), ASKED])
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    if shutil.which("node") is None:
        print("Node.js is not installed")
        sys.exit(77)
    few = [f"line {k}" for k in range(16)]
    for lines in ([], few[:1], few):  # a button for one line more would take its place
        assert notes(lines) == [[["", line] for line in lines]] * 2, (lines, notes(lines))
    many = [f"line {k}" for k in range(39)] + ["  <b>inner</b>"]
    first, whole = notes(many)
    assert first == [["", line] for line in many[:15]] + [["more", "Show all 40 lines"]], first
    assert whole == [["", line] for line in many[:39]] + [["inner", "<b>inner</b>"]], whole


main()
