# SPDX-License-Identifier: Apache-2.0
"""The help pages about runtimes: in cli/help/peers.md the tables and the paragraph "opref COMMIT judged …"; and a page for each
runtime, peers-NAME.md."""
import collections
import os
import re
import textwrap

import environment
import peers
import verdict_groups
from table import table, wrapped
from verdict_groups import plural

HELP = os.path.join(environment.ROOT, "cli", "help")
MOST = 25  # groups in a section
LONGEST = 74  # of a name that stands in a line of 80
KIND_COLUMNS = {"reading": ["reading"], "arithmetic": ["arithmetic"], "weaker": ["weaker functions"], "mistake": ["mistake"],
                "type": ["another type"], "open": list(verdict_groups.UNEXPLAINED)}


def counted(number):
    return f"{number:,}"


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else ""


def about(court_of):
    """Paragraphs: who judged whom, and when."""
    commits = sorted(set().union(*(judged.commits for judged in court_of.values())))
    dates = sorted(set().union(*(judged.dates for judged in court_of.values())))
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    operators = {(case.get("domain"), case.get("operator")) for judged in court_of.values() for case in judged.cases}
    whole = max(judged.all for judged in court_of.values())
    by = f"opref {commits[0]}" if len(commits) == 1 else f"opref at the commits {', '.join(commits[:-1])} and {commits[-1]}"
    paragraphs = [f"{by} judged {', '.join(map(peers.title, court_of))} by its golden cases, of which there are "
                  f"{whole:,} of {len(operators)} operators; {days}, {environment.machine().split(',')[0]}. The cases are chosen to expose "
                  "differences: do not read the numbers as failure rates. A domain that a runtime does not have counts as unsupported."]
    sampled = [f"{peers.title(backend)} {percent(len(judged.cases), judged.all)}" for backend, judged in court_of.items()
               if len(judged.cases) < 0.99 * judged.all]
    if sampled:
        paragraphs.append(f"Only a share of the cases was judged: {', '.join(sampled)}.")
    missing = [f"{peers.title(backend)} {judged.missing}" for backend, judged in court_of.items() if judged.missing]
    if missing:
        paragraphs.append(f"Operators that were not judged yet: {', '.join(missing)}.")
    return paragraphs


def kinds_of(backend, cases):
    """How many cases with values are of each kind, of those that fail or are errors."""
    return collections.Counter(verdict_groups.kind_of(backend, case)[0] for case in cases if case["verdict"] in ("fail", "error"))


def tables(court_of):
    """Of each table of the summary its first cell and its text."""
    values, kinds, errors, bad, classes = [], [], [], [], []
    for backend, judged in court_of.items():
        name = peers.name(backend)
        total = verdict_groups.Totals(judged.cases)
        kind = kinds_of(backend, total.values)
        count = total.verdicts
        values.append([name, *map(counted, [len(total.values), count["pass"], total.equal, total.untypical, count["fail"], count["error"],
                                            count["unsupported"]])])
        weak = sum(case["verdict"] == "fail" and verdict_groups.has_weak_evidence(backend, case) for case in total.values)
        kinds.append([name, counted(count["fail"]), *(counted(sum(kind[one] for one in names)) for names in KIND_COLUMNS.values()),
                      counted(weak)])
        of_class, _, median = verdict_groups.classes_of(total.values)
        classes.append([name, *map(counted, [sum(of_class), *of_class]), f"{median:.2g}"])
        errors.append([name, *map(counted, [count["error"], kind["refused"], kind["too slow"], kind["crash"]])])
        refusals = [case for case in judged.cases if case.get("must_be_refused") and verdict_groups.is_counted(case)]
        other = sum(case["verdict"] in ("unsupported", "error") for case in refusals)
        bad.append([name, *map(counted, [len(refusals), total.refused, total.accepted, other])])
    found = {
        "values": (["values", "cases", "pass", "to the bit", "untypical", "fail", "error", "unsupported"], values),
        "wrong": (["wrong", "cases", *KIND_COLUMNS, "weak"], kinds),
        "bound": (["bound", "outputs", *verdict_groups.CLASSES, "median share"], classes),
        "errors": (["errors", "cases", "valid, but refused", "too slow", "process died"], errors),
        "invalid cases": (["invalid cases", "cases", "refused", "accepted", "error, unsupported"], bad),
    }
    return {name: table(header, rows, True) for name, (header, rows) in found.items()}


def with_tables(text, of_name):
    """`text` with the tables whose first cell is a name of `of_name` made anew."""
    def new(found):
        return of_name.get(found[1].strip(), found[0].rstrip("\n")) + "\n"
    return re.sub(r"^\|([^|\n]*)\|.*\n(?:\|.*\n)*", new, text, flags=re.M)


def item(text):
    return "\n".join(textwrap.wrap(text, 80, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def plain(text):
    """What a runtime or opref said, in one line, with no mark that means something in Markdown."""
    text = " ".join(text.split()).replace("^", " to the ")
    return re.sub(r"[`*<>|]", "", text).rstrip(" .")


def group_line(backend, operator, why, members):
    seen = plain(verdict_groups.seen_beside(members[0], why))[:90]
    versions = verdict_groups.numbers(case["since_version"] for case in members)
    name = members[0]["name"] if len(members[0]["name"]) <= LONGEST else f"{members[0]['name'][:LONGEST - 3]}.*"
    weak = sum(verdict_groups.has_weak_evidence(backend, case) for case in members)
    evidence = f" (weak evidence in {weak:,})" if weak else ""
    shown = f": {seen}" if seen else ""
    return item(f"{len(members):,}, {operator.removeprefix('ai.onnx.') if operator.count('.') == 2 else operator} ({versions}): "
                f"{plain(why)}{evidence}. `{name}`{shown}")


def section(backend, heading, groups, most=MOST):
    """`groups`: the largest ones are shown."""
    if not groups:
        return ""
    cases = sum(len(members) for _, members in groups)
    lines = [group_line(backend, operator, why, members) for (operator, _, why), members in groups[:most]]
    if len(groups) > most:
        rest = sum(len(members) for _, members in groups[most:])
        lines.append(item(f"{rest:,} more, in {plural(len(groups) - most, 'group')}"))
    return f"## {heading}\n\n" + wrapped(f"{plural(cases, 'case')}, in {plural(len(groups), 'group')}:") + "\n\n" + "\n".join(lines) + "\n\n"


def accepted(groups):
    """What is accepted, by operator, in one paragraph."""
    if not groups:
        return ""
    cases = sum(len(members) for _, members in groups)
    listed = ", ".join(f"{operator.removeprefix('ai.onnx.')} {len(members)}" for (operator, _, _), members in groups[:40])
    more = f", and {len(groups) - 40} operators more" if len(groups) > 40 else ""
    return "## Invalid cases that it accepts\n\n" + wrapped(f"{cases:,} of {len(groups)} operators: {listed}{more}.") + "\n\n"


def domain_table(cases):
    rows = []
    for domain in sorted({case["domain"] for case in cases if "domain" in case}):
        total = verdict_groups.Totals([case for case in cases if case.get("domain") == domain])
        count = total.verdicts
        rows.append([domain, *map(counted, [len(total.values), count["pass"], total.equal, count["fail"], count["error"],
                                            count["unsupported"]])])
    return table(["cases with values", "cases", "pass", "to the bit", "fail", "error", "unsupported"], rows, True)


def page(backend, judged):
    """The page peers-NAME.md of a runtime."""
    groups = verdict_groups.grouped(backend, judged.cases)
    total = verdict_groups.Totals(judged.cases)

    def of(*kinds):
        return [group for group in groups if group[0][1] in kinds]
    unknown = sum(len(members) for _, members in of(*verdict_groups.UNEXPLAINED))
    text = f"# Peers {peers.name(backend)}: what {peers.title(backend)} gets wrong\n\n"
    text += "\n\n".join(wrapped(paragraph) for paragraph in about({backend: judged})) + "\n\n"
    text += domain_table(judged.cases) + "\n\n"
    text += wrapped(f"Of {total.verdicts['fail']:,} wrong outputs {unknown:,} have no known cause. {total.untypical:,} outputs that pass are "
                    "untypical: they use more than four times as much of their bound as usual kernels. Each line below has the number of "
                    "cases, the operator with its versions, what explains the cases, and the smallest one, with the runtime's value.") + "\n\n"
    text += wrapped("This makes a case, judges the runtime by it, and prints how it differs, once `scripts/lab/compare-peers --install` has "
                    "put the runtimes into build:") + "\n\n"
    text += ("```text\nopref golden OPERATOR --negative --filter '^CASE$' -o /tmp/peer-case \\\n    --replace\n"
             f"opref check /tmp/peer-case --runner \\\n    '{peers.runner(backend)}'\n```\n\n")
    text += section(backend, "Its process dies, or does not answer in time", of("crash", "too slow"), 15)
    text += section(backend, "Wrong, and nothing explains it", of(*verdict_groups.UNEXPLAINED))
    text += section(backend, "Mistakes", of("mistake", "another type"))
    text += section(backend, "Another reading of the specification", of("reading"), 15)
    text += section(backend, "Fewer digits than a faithful kernel", of("arithmetic", "weaker functions"), 15)
    text += section(backend, "Errors for valid cases", of("refused"), 15)
    text += accepted(of("accepted"))
    return text.rstrip("\n") + "\n"


def write_summary(court_of):
    """The tables of peers.md, and the paragraph above them."""
    summary = os.path.join(HELP, "peers.md")
    with open(summary, encoding="utf-8") as file:
        text = file.read()
    with open(summary, "w", encoding="utf-8") as file:
        text = re.sub(r"^opref (?:at the commits )?[0-9a-f]{12}\b.*?(?=\n\n)", wrapped(" ".join(about(court_of))), text, flags=re.M | re.S)
        file.write(with_tables(text, tables(court_of)))


def write(court_of, has_all):
    """Into cli/help: of each runtime its page, and if these are all of them, the summary."""
    if has_all:
        write_summary(court_of)
    for backend, judged in court_of.items():
        with open(os.path.join(HELP, f"peers-{backend.replace('_', '-')}.md"), "w", encoding="utf-8") as file:
            file.write(page(backend, judged))
