# SPDX-License-Identifier: Apache-2.0
"""opref_check_test: `opref check` as a Bazel test of as many shards as its shard_count says.

Each shard judges its share of the cases, writes JUnit XML for Bazel, and its report and page among the undeclared outputs;
`opref report merge` joins bazel-testlogs/…/shard_*/test.outputs/report.json.
"""

def _opref_check_test(ctx):
    quoted = ["'%s'" % argument.replace("'", "'\\''") for argument in ctx.attr.paths + ctx.attr.arguments]
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, is_executable = True, content = """#!/bin/sh
exec '%s' check %s --shard auto --allow-empty --junit "$XML_OUTPUT_FILE" \\
  --report "$TEST_UNDECLARED_OUTPUTS_DIR/report.json" --html "$TEST_UNDECLARED_OUTPUTS_DIR/report.html"
""" % (ctx.executable.opref.short_path, " ".join(quoted)))
    files = ctx.runfiles(files = ctx.files.data + [ctx.executable.opref])
    return [DefaultInfo(executable = script, runfiles = files)]

opref_check_test = rule(
    implementation = _opref_check_test,
    test = True,
    attrs = {
        "arguments": attr.string_list(doc = "options of opref check: --runner, …; a backend's files are in data"),
        "data": attr.label_list(allow_files = True, doc = "the cases' files, and the backend's"),
        "opref": attr.label(allow_files = True, executable = True, cfg = "target", mandatory = True, doc = "the program"),
        "paths": attr.string_list(mandatory = True, doc = "cases, or folders with cases, from the workspace's root on"),
    },
)
