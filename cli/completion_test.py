# SPDX-License-Identifier: Apache-2.0
# Completion in real shells: keys are typed at a terminal, and the completed command shows its arguments.
# Usage: completion_test.py OPREF. A shell that is not there is skipped, with a sentence.
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

opref = os.path.abspath(sys.argv[1])
failures = 0

# The command itself prints its arguments; "completion" goes to the program.
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        "PS1='> '; bind 'set enable-bracketed-paste off' 'set show-all-if-ambiguous on' 'set bell-style none'\n"
        "bind 'set page-completions off'; bind 'set completion-query-items 0'; bind 'set show-all-if-ambiguous on'\n"
        "bind 'set enable-bracketed-paste off'\n"
        'opref() { if [ "$1" = completion ]; then command opref "$@"; else printf "<%s>" "$@"; echo " end"; fi; }\n'
        'eval "$(opref completion bash)"\n',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='> '; unsetopt zle_bracketed_paste prompt_cr prompt_sp; zstyle ':completion:*' list-prompt ''\n"
        "autoload -U compinit; compinit -D -u; setopt no_beep; LISTMAX=10000; unset zle_bracketed_paste\n"
        'opref() { if [ "$1" = completion ]; then command opref "$@"; else printf "<%s>" "$@"; echo " end"; fi; }\n'
        'eval "$(opref completion zsh)"\n',
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "function fish_prompt; echo '> '; end; function fish_greeting; end; set -g fish_autosuggestion_enabled 0\n"
        'function opref; if test "$argv[1]" = completion; command opref $argv; else; printf "<%s>" $argv; echo " end"; end; end\n'
        "command opref completion fish | source\n",
    ),
}

# Each tab takes the next candidate.
TAKES_NEXT = {
    "bash": "bind 'TAB:menu-complete' 'set show-all-if-ambiguous off'; bind 'set show-all-if-ambiguous off'; bind TAB:menu-complete\n",
    "zsh": "setopt menu_complete\n",
    "fish": "",
}

# Typed, with a tab where it is completed; what the command then gets.
TYPED = [
    ("opref exp\t", ["explain"]),
    ("opref run LpPool -a k\t2,2", ["run", "LpPool", "-a", "kernel_shape=2,2"]),
    ("opref run LpPool-1 -a auto_pad=SAME_U\tx", ["run", "LpPool-1", "-a", "auto_pad=SAME_UPPER", "x"]),
    ("opref run LpPool --attribute strides=2 -a ker\t3", ["run", "LpPool", "--attribute", "strides=2", "-a", "kernel_shape=3"]),
    ("opref run MaxUnp\t-a st\t2", ["run", "MaxUnpool", "-a", "strides=2"]),
    ("opref run 'Y = LpPool <p = 2> (X)' -a ke\t2", ["run", "Y = LpPool <p = 2> (X)", "-a", "kernel_shape=2"]),
    ("opref infer LpPool --reading lp_pool.par\tr\t", ["infer", "LpPool", "--reading", "lp_pool.partial_window=rescaled"]),
    ("opref run --expect-\tx", ["run", "--expect-case", "x"]),
    ("opref golden --layout op\tx", ["golden", "--layout", "openvino", "x"]),
    ("opref golden --layout=op\tx", ["golden", "--layout=openvino", "x"]),
    ("opref --color al\tops", ["--color", "always", "ops"]),
    ("opref help num\t", ["help", "numerics"]),
    ("opref ops openvino:GroupConvolutionB\t", ["ops", "openvino:GroupConvolutionBackpropData"]),
    ("opref show nam\t", ["show", "name of a file.npy"]),
    ("opref run LpPool X=nam\t", ["run", "LpPool", "X=name of a file.npy"]),
    ("opref run LpPool --expect Y=fol\tin\t", ["run", "LpPool", "--expect", "Y=folder/inside.npy"]),
    ("opref run ./fol\tin\t", ["run", "./folder/inside.npy"]),
]

# Names of files that would be commands, were they not quoted: alone among the candidates, and beside an operator's.
HOSTILE = ["Elu$(touch PWNED)", "Elu;touch PWNED", "Elu`touch PWNED`", "Elu'\"\\", "Elu\ntouch PWNED\n", "Zfile$(touch PWNED)", "Zfile;touch PWNED"]
# Typed, with how many tabs then take one candidate after the other.
CHOSEN = [("opref run El", 2), ("opref run El", 4), ("opref run El", 6), ("opref run 'El", 3), ('opref run "El', 3), ("opref run Zf", 2), ("opref run Zf", 3), ('opref run "Zf', 2), ("opref run X=Zf", 3)]

# Typed before the tab; words that the shell then lists.
LISTED = [
    ("opref run LpPool -a ", ["kernel_shape=", "auto_pad=", "p=", "strides="]),
    ("opref ops LpPool --opset ", ["1", "2", "11", "18", "22"]),
    ("opref help ", ["run", "readings", "ambiguities", "exit-codes", "schema"]),
    ("opref run Conv", ["ConvInteger", "ConvTranspose"]),
    ("opref infer LpPool --reading lp_pool.nan=", ["propagate"]),
]


TRIES = 3


class Shell:
    def __init__(self, command, setup, folder):
        self.is_fish = command[0] == "fish"
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {"PATH": os.path.dirname(opref) + ":/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LANG": "C.UTF-8"}
            # A screen that holds the longest list: zsh would ask first.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 80, 0, 0))
            os.execvpe(command[0], command, environment)
        self.read(1)
        with open(os.path.join(folder, "setup"), "w") as file:
            file.write(setup)
        os.write(self.terminal, b". ./setup\n" if not self.is_fish else b"source ./setup\n")
        os.write(self.terminal, b"opref ready\n")
        self.read(20, "<ready>")

    def read(self, seconds, until=None, quiet=0.15):
        """What it prints until that text, or until all texts of a list, or until it is quiet."""
        text, limit = "", time.monotonic() + seconds
        while time.monotonic() < limit:
            ready, _, _ = select.select([self.terminal], [], [], seconds if until or not text else quiet)
            if not ready:
                break
            try:
                text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                break
            if until and all(one in text for one in ([until] if isinstance(until, str) else until)):
                break
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]", "", text).replace("\r", "")

    def arguments(self, typed):
        # A tab has its effect before the next key.
        for part in re.findall(r"[^\t]+|\t", typed):
            os.write(self.terminal, part.encode())
            if part == "\t":
                self.read(2)
        self.read(0.2)
        os.write(self.terminal, b"\n")
        answer = self.read(10, " end\r")
        return re.findall("<([^>]*)>", answer[answer.find("\n") :].replace("<p = 2>", "{p = 2}")), answer

    def listed(self, typed, expected):
        if self.is_fish:  # on such a terminal it takes the first one in place of a list
            os.write(self.terminal, f'complete -C"{typed}"; opref done\n'.encode())
            return self.read(10, " end\r")
        os.write(self.terminal, (typed + "\t\t").encode())
        text = self.read(10, expected)
        text += self.read(0.3)
        os.write(self.terminal, b"\x03")
        self.read(2)
        return text

    def taken(self, typed, tabs, pace):
        """The screen after that many tabs, each of which takes the next candidate, and the keys that run the command. Where the
        shell is slower than `pace` some keys come too early."""
        os.write(self.terminal, typed.encode())
        for _ in range(tabs):
            os.write(self.terminal, b"\t")
            self.read(0.5 * pace, quiet=0.05 * pace)
        quote = re.search("['\"]", typed)
        os.write(self.terminal, b"\n")
        answer = self.read(0.6 * pace, " end\r")
        if " end" not in answer:  # the quote that was typed is still open, or fish has only taken the candidate
            os.write(self.terminal, (quote[0] if quote else "").encode() + b"\n")
            answer += self.read(pace, " end\r")
        os.write(self.terminal, b"\x03")
        self.read(0.3)
        return answer

    def start_again(self):
        """An empty line, once the shell is through with all keys."""
        os.write(self.terminal, b"\x03")
        self.read(3, quiet=1)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def test(shell):
    global failures
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "folder"))
        for name in ("name of a file.npy", "folder/inside.npy"):
            open(os.path.join(folder, name), "w").close()
        session = Shell(*SHELLS[shell], folder)
        # On a busy machine keys may come before the shell is ready for them: then it gets them again.
        for typed, expected in TYPED:
            for _ in range(TRIES):
                found, screen = session.arguments(typed)
                if found == [word.replace("<p = 2>", "{p = 2}") for word in expected]:
                    break
                session.start_again()
            else:
                print(f"{shell}: {typed!r} gives {found}, not {expected}; the screen:\n{screen!r}")
                failures += 1
        for typed, expected in LISTED:
            for _ in range(TRIES):
                screen = session.listed(typed, expected)
                words = re.split(r"[\s()]+", screen[len(typed) :])
                missing = [word for word in expected if word not in words and not any(w.endswith(word) for w in words)]
                if not missing:
                    break
                session.start_again()
            else:
                print(f"{shell}: {typed!r} does not list {missing}; the screen:\n{screen!r}")
                failures += 1
        session.close()
        for name in HOSTILE:
            open(os.path.join(folder, name), "w").close()
        session = Shell(SHELLS[shell][0], SHELLS[shell][1] + TAKES_NEXT[shell], folder)
        seen = ""
        for pace in (1, 4, 16):  # a busy machine is slow
            for typed, tabs in CHOSEN:
                seen += session.taken(typed, tabs, pace)
                if os.path.exists(os.path.join(folder, "PWNED")):
                    print(f"{shell}: {typed!r} and {tabs} tabs execute a file's name; the screen:\n{seen[-2000:]!r}")
                    failures += 1
                    os.remove(os.path.join(folder, "PWNED"))
            if any(f"<{name}>" in seen for name in HOSTILE):
                break
        if not any(f"<{name}>" in seen for name in HOSTILE):
            print(f"{shell}: no tab gives a file's name as one argument; the screen:\n{seen[-2000:]!r}")
            failures += 1
        session.close()


for shell in SHELLS:
    if shutil.which(shell) is None:
        print(f"{shell} is not installed: its completion is not tested")
        continue
    script = subprocess.run([opref, "completion", shell], capture_output=True, check=True)
    if subprocess.run([shell, "-n"], input=script.stdout).returncode != 0:
        print(f"{shell}: a fault in the script")
        failures += 1
    test(shell)
sys.exit(1 if failures else 0)
