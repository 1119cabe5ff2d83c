# SPDX-License-Identifier: Apache-2.0
"""Makes the manual: a page for each command and each page of help, of what opref prints about them. lowdown turns Markdown
into the language man(7). Usage: manual.py FOLDER [EMULATOR] OPREF; FOLDER gets man1/opref.1, man1/opref-run.1 …,
man7/opref-readings.7 …"""
import glob
import os
import re
import shutil
import subprocess
import sys

HELP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cli/help")


def printed(*command, given=""):
    return subprocess.run(command, input=given, check=True, capture_output=True, text=True).stdout


def listed(help_text, title):
    """The names of the two columns below a title."""
    return re.findall(r"^  ([a-z]+)  ", help_text.split(f"\n{title}\n")[1].split("\n\n")[0], re.M)


def terms(lines):
    """Each "  -o OUT    write outputs", with lines that go on behind 8 blanks, as a term and its definition in Markdown."""
    text = ""
    for line in lines:
        if line.startswith(" " * 8):
            text += f" {line.strip()}"
        else:
            term, _, meaning = line.strip().partition("  ")
            text += f"\n\n`{term}`\n: {meaning.strip()}"
    return text


def command_markdown(help_text):
    """Of `opref COMMAND --help`: a line with the summary, the usage, then parts that mostly have a title."""
    summary, usage, *parts = help_text.rstrip("\n").split("\n\n")
    text = f"# SYNOPSIS\n\n`{usage.removeprefix('usage: ')}`\n"
    for part in parts:
        title, *lines = part.split("\n")
        if title in ("Options", "Commands"):
            text += f"\n# {title.upper()}{terms(lines)}\n"
        elif title in ("Examples", "Exit codes", "Topics"):
            text += f"\n# {title.upper()}\n\n```\n" + "\n".join(lines) + "\n```\n"
        else:
            text += f"\n# DESCRIPTION\n\n```\n{part}\n```\n"
    return summary.split(" - ", 1)[1], text


def topic_markdown(text):
    title, rest = text.split("\n", 1)
    rest = re.sub("^### (.*)", r"**\1**", rest, flags=re.M)  # man(7) has no space below a third level's title
    return title.split(": ", 1)[1], "# DESCRIPTION\n" + re.sub("^## (.*)", lambda found: "# " + found[1].upper(), rest, flags=re.M)


def main():
    folder, *opref = sys.argv[1:]
    if not shutil.which("lowdown"):
        sys.exit("the manual is made by lowdown, which is not installed (scripts/install does it)")
    version = printed(*opref, "--version").split()[1]
    topics = {os.path.basename(path)[:-3]: open(path, encoding="utf-8").read() for path in glob.glob(HELP + "/*.md")}
    day = re.search(r"\n## .*\((.*)\)", topics["changelog"])[1]
    program = printed(*opref, "--help")
    pages = {("opref", "1"): command_markdown(program)}
    pages |= {(f"opref-{name}", "1"): command_markdown(printed(*opref, name, "--help")) for name in listed(program, "Commands")}
    pages |= {(f"opref-{name}", "7"): topic_markdown(text) for name, text in topics.items()}
    for (name, section), (summary, text) in pages.items():
        others = ", ".join(f"**{other}**({number})" for other, number in sorted(pages, key=lambda page: page[::-1]) if other != name)
        markdown = f"# NAME\n\n{name} - {summary}\n\n{text}\n# SEE ALSO\n\n{others}\n"
        head = {"title": name.upper(), "section": section, "date": day, "source": f"opref {version}", "volume": "opref manual"}
        options = [word for key, value in head.items() for word in ("-M", f"{key}={value}")]
        page = printed("lowdown", "-s", "-tman", "--out-no-smarty", "--parse-no-intraemph", *options, given=markdown)
        os.makedirs(f"{folder}/man{section}", exist_ok=True)
        with open(f"{folder}/man{section}/{name}.{section}", "w", encoding="utf-8") as file:
            # Terminals have no font of typewriters; a paragraph begins after a heading anyway.
            file.write(re.sub(r"(\.SH\n.*\n)\.[LP]P\n", r"\1", page.replace("\\fC", "\\fB")))


main()
