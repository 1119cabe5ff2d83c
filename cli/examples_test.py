# SPDX-License-Identifier: Apache-2.0
# Every example of --help, of the help pages, of the manual and of README.md runs, in the source folder, and prints what
# stands below it; sh and zsh read it as the same words. Colours are where a terminal is, and NO_COLOR is not.
# Usage: examples_test.py OPREF [FILE]    with FILE, only the examples of this page, as README.md
#
# In a ```sh block a line "opref …" is run; a line that is no command and no comment is one that the command above it
# prints. In a ```console block "$ opref …" is run, and the lines below it are all that it prints, a line "…" being any
# lines. "# exit N" behind a command is its exit code, else 0. /tmp is a folder that is removed afterwards.
import importlib.util
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

opref = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
scratch = tempfile.mkdtemp(dir="/tmp", prefix="opref")
environment = dict(os.environ, PATH=os.path.dirname(opref) + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
environment.pop("NO_COLOR", None)
failures = []


def fail(sentence):
    failures.append(sentence)
    print(sentence)


class Example:
    def __init__(self, place, command, expected=None, all_of_it=False):
        self.place, self.command, self.all_of_it = place, command, all_of_it
        self.expected = [] if expected is None else expected
        code = re.search(r"# exit (\d+)\s*$", command)
        self.code = int(code.group(1)) if code else 0


def joined(lines):
    """Commands that go on behind a backslash as one line."""
    text = "\n".join(lines)
    return re.sub(r" \\\n\s*", " ", text).split("\n")


def of_help(command):
    text = subprocess.run([opref, *command, "--help"], capture_output=True, text=True, check=True).stdout
    name = " ".join(["opref", *command, "--help"])
    return [Example(name, line[4:]) for line in joined(text.split("\n")) if line.startswith("  $ ")]


def of_markdown(file):
    examples, kind = [], None
    for line in joined(open(file, encoding="utf-8").read().split("\n")):
        if line.startswith("```"):
            kind = line[3:] if kind is None else None
        elif kind == "console" and line.startswith("$ "):
            examples.append(Example(file, line[2:], [], True))
        elif kind == "console":
            if not examples:
                fail(f"{file}: a ```console block begins with no command")
            else:
                examples[-1].expected.append(line)
        elif kind == "sh" and line.startswith("opref "):
            examples.append(Example(file, line))
        elif kind == "sh" and line and not line.startswith(("#", "scripts/", "build/")):
            if not examples:
                fail(f"{file}: no command stands above {line!r}")
            else:
                examples[-1].expected.append(line)
    return examples


def matches(expected, printed):
    """All lines, "…" being any number of them."""
    pattern = "\n".join(r"(?:.*\n)*?.*" if line == "…" else re.escape(line) for line in expected)
    return re.fullmatch(pattern, printed) is not None


def run(example):
    command = example.command.replace("/tmp/", scratch + "/")
    # Colours would be seen here: nothing is a terminal.
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment)
    printed = done.stdout.decode("utf-8", "replace").replace(scratch, "/tmp").rstrip("\n")
    if done.returncode != example.code:
        fail(f"{example.place}: exit code {done.returncode}, not {example.code}: {example.command}\n{printed}")
    if "\x1b" in printed:
        fail(f"{example.place}: colours in a pipe: {example.command}")
    if example.all_of_it:
        while example.expected and not example.expected[-1]:
            example.expected.pop()
        if not matches(example.expected, printed):
            fail(f"{example.place}: {example.command}\nprints\n{printed}\nnot\n" + "\n".join(example.expected))
        return
    lines = printed.split("\n")
    for line in example.expected:
        if line not in lines:
            fail(f"{example.place}: {example.command}\nprints\n{printed}\nand no line\n{line}")


def run_python():
    """README's lines of Python, with the module beside the program."""
    block = re.search(r"```python\n(.*?)```", open("README.md", encoding="utf-8").read(), re.S).group(1)
    if importlib.util.find_spec("numpy") is None:
        print("numpy is not installed: README's lines of Python are not tested")
        return
    module = dict(environment, PYTHONPATH=os.path.abspath("scripts/packaging/python"))
    done = subprocess.run([sys.executable, "-c", block], cwd=scratch, env=module, capture_output=True, text=True)
    promised = re.search(r"# … (.*)", block).group(1)
    if done.returncode != 0 or promised not in done.stdout:
        fail(f"README.md's lines of Python: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def words(shell, command):
    """What the shell makes of a command."""
    function = 'opref() { for word; do printf "%s\\n" "$word"; done; }\n'
    done = subprocess.run([*shell, "-c", function + command.replace("/tmp/", scratch + "/")], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    return done.stdout


def on_a_terminal(*arguments, **variables):
    """What a command prints where all is a terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(opref, ["opref", *arguments], {**environment, "TERM": "xterm", **variables})
    text = b""
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # its end
        pass
    os.waitpid(process, 0)
    os.close(terminal)
    return text


def colours():
    equal = ["run", "Add", "A=[1]:float32", "B=[2]:float32", "--expect", "[3]:float32"]
    for arguments in (equal, ["nonsense"]):
        for chosen, variables, expected in (([], {}, True), ([], {"NO_COLOR": "1"}, False), (["--color", "never"], {}, False),
                                            (["--color", "always"], {"NO_COLOR": "1"}, True)):
            found = b"\x1b[" in on_a_terminal(*chosen, *arguments, **variables)
            if found != expected:
                fail(f"{' '.join(chosen + arguments)} {variables}: {'' if found else 'no '}colours on a terminal")


def of_one_page(page):
    examples = of_markdown(page)
    if len(examples) < 5:
        fail(f"{page}: only {len(examples)} examples")
    for example in examples:
        run(example)
    if page == "README.md":
        run_python()
    print(f"{page}: {len(examples)} examples, {len(failures)} fail")


def main():
    colours()
    commands = [[]] + [[name] for name in
                       re.findall(r"^  ([a-z]+)  ", subprocess.run([opref, "-h"], capture_output=True, text=True).stdout.split(
                           "Commands\n")[1].split("\n\n")[0], re.M)]
    if len(commands) < 10:
        fail(f"only {len(commands)} commands")
    of_commands = [example for command in commands for example in of_help(command)]
    pages = sorted("cli/help/" + name for name in os.listdir("cli/help") if name.endswith(".md"))
    of_pages = [example for page in pages for example in of_markdown(page)]
    of_readme = of_markdown("README.md")
    for name, examples, least in (("--help", of_commands, 20), ("cli/help", of_pages, 10), ("README.md", of_readme, 5)):
        if len(examples) < least:
            fail(f"{name}: only {len(examples)} examples")
    everything = of_commands + of_pages + of_readme
    for example in everything:
        run(example)
    run_python()

    if shutil.which("zsh"):
        for example in everything:
            if "$(" not in example.command and words(["sh"], example.command) != words(["zsh", "-f"], example.command):
                fail(f"{example.place}: zsh reads other words: {example.command}\n"
                     + words(["zsh", "-f"], example.command).decode("utf-8", "replace"))
    else:
        print("zsh is not installed: what it makes of the examples is not tested")

    if shutil.which("lowdown") and shutil.which("mandoc"):
        manual(commands, pages)
    else:
        print("lowdown or mandoc is not installed: the manual is not tested")


def shown(page):
    """A page of the manual as a terminal has it."""
    text = subprocess.run(["mandoc", "-Tutf8", "-O", "width=400", page], capture_output=True, text=True).stdout
    return re.sub(".\b", "", text)


def manual(commands, pages):
    """It is clean, and has the words of --help and of the help pages, and their examples."""
    folder = scratch + "/manual"
    subprocess.run([sys.executable, "scripts/packaging/manual.py", folder, opref], check=True)
    texts = {f"{folder}/man7/opref-{os.path.basename(page)[:-3]}.7":
             re.sub(r"^```\w+|\]\(.*?\)", "", open(page, encoding="utf-8").read().split(": ", 1)[1], flags=re.M) for page in pages}
    for command in commands:
        page = f"{folder}/man1/{'-'.join(['opref', *command])}.1"
        texts[page] = subprocess.run([opref, *command, "--help"], capture_output=True, text=True).stdout.replace("usage: ", "")
        examples = [line.strip()[2:] for line in joined(shown(page).split("\n")) if line.strip().startswith("$ ")]
        if examples != [example.command for example in of_help(command)]:
            fail(f"{page}: other examples than --help: {examples}")
    found = {os.path.join(at, name) for at, _, names in os.walk(folder) for name in names}
    if found != set(texts):
        fail(f"pages of the manual that are missing or too many: {sorted(found ^ set(texts))}")
    lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *found], capture_output=True, text=True)
    if lint.stdout + lint.stderr or lint.returncode:
        fail("mandoc -Tlint: " + lint.stdout + lint.stderr)
    for page, text in texts.items():
        missing = set(re.findall(r"\w+", text.lower())) - set(re.findall(r"\w+", shown(page).lower()))
        if missing:
            fail(f"{page}: these words are missing: {sorted(missing)}")


if len(sys.argv) > 2:
    of_one_page(sys.argv[2])
else:
    main()
shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
