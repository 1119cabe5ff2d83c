# SPDX-License-Identifier: Apache-2.0
# What commands print with --json, the reports and manifests that they write, and the cases and recipes of testdata are as
# the JSON Schemas of `opref help` say.
# Usage: schemas_test.py OPREF. Without jsonschema: skipped.
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("jsonschema is not installed (python3-jsonschema)")
    sys.exit(77)

opref = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
failures = 0
seen = set()

CASE = "/usr/share/libonnx-testdata/data/node/test_maxunpool_export_with_output_shape"
POOL = ["LpPool", "-a", "kernel_shape=3", "-a", "p=1", "X=[[[256,1,1]]]:float32"]


def text_of(*arguments):
    return subprocess.run([opref, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def validator(topic):
    schema = json.loads(text_of("help", topic).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def require_valid(schema, document, name):
    global failures
    error = jsonschema.exceptions.best_match(schema.iter_errors(document))
    if error is not None:
        print(f"{name}: {error.message[:300]}\n  at {'/'.join(map(str, error.absolute_path))}")
        failures += 1
    if isinstance(document, dict) and schema.is_valid({**document, "no such member": 1}):
        print(f"{name}: the schema takes what is not there")
        failures += 1


def printed(schema, code, *arguments):
    global failures
    done = text_of(*arguments)
    name = " ".join(["opref", *arguments])
    if done.returncode != code:
        print(f"{name}: exit code {done.returncode}, not {code}: {done.stderr}")
        failures += 1
    try:
        document = json.loads(done.stdout)
    except ValueError as error:
        print(f"{name}: {error}")
        failures += 1
        return
    seen.update((document.get("command", "report"), member) for member in document)
    require_valid(schema, document, name)


def quantised():
    return """<ir_version: 8, opset_import: ["" : 13]> g (float[3] x) => (float[3] y) <float s = {0.05}, int8 z = {0}> {
        t = Tanh (x)  q = QuantizeLinear (t, s, z)  y = DequantizeLinear (q, s, z) }"""


def documents(schema, folder):
    y, z = folder + "/y.npy", folder + "/z.npz"
    text_of("run", "MaxUnpool", "-a", "kernel_shape=2", "-a", "strides=2", "X=[[[5,6]]]:float32", "I=[[[1,2]]]", "-o", y)
    text_of("show", y, "-o", z)
    printed(schema, 0, "--version", "--json")
    printed(schema, 0, "run", CASE, "--json")
    printed(schema, 0, "run", CASE, "--expect-case", "--json")
    printed(schema, 1, "run", *POOL, "--judge", "[[[256]]]:float32", "--json")
    printed(schema, 1, "run", *POOL, "--expect", "[[[3e38]]]:float32", "--bound", "--json")
    printed(schema, 0, "run", must_fail(), "--expect-case", "--json")
    printed(schema, 0, "run", "SequenceConstruct", "inputs=[1]:float32", "inputs=[2]:float32", "--json")
    printed(schema, 0, "run", "h = Exp (x)  y = Softmax (h)", "x=[1,12]:float16", "--sensitivity", "--json")
    printed(schema, 0, "run", "MaxPool", "-a", "kernel_shape=2", "X=[[[1,NaN,3]]]:float32", "--json")
    chain = "h = Relu (x)  y = Tanh (h)"
    printed(schema, 0, "diff", chain, chain, "x=[-1,2]:float32", "--json")
    printed(schema, 1, "diff", chain, chain.replace("Relu", "LeakyRelu"), "x=[-1,2]:float32", "--json")
    printed(schema, 0, "diff", chain, chain, "x=[-1,2]:float32", "--min-sqnr", "40", "--json")
    printed(schema, 1, "diff", quantised(), "g (float[3] x) => (float[3] y) { y = Tanh (x) }", "x=[-1,2,0.3]:float32", "--min-sqnr", "90", "--json")
    printed(schema, 0, "infer", CASE, "--json")
    printed(schema, 0, "infer", CASE.replace("with_", "without_") + "/model.onnx", "--json")
    printed(schema, 0, "infer", "LpPool", "-a", "kernel_shape=2", "-a", "ceil_mode=1", "X=bfloat16[1,1,5]", "--json")
    unknown = "<ir_version: 8, opset_import: [\"\" : 20]> m (float[2] x) => (float[2] y) { t = Foo (x) y = Identity (t) }"
    printed(schema, 0, "infer", unknown, "--json")
    printed(schema, 0, "explain", *POOL, "--at", "Y[0,0,0]", "--against", "[[[256]]]:float32", "--json")
    printed(schema, 0, "explain", "MaxPool", "-a", "kernel_shape=3", "-a", "pads=1,1", "X=[[[1,2,3]]]:float32", "--at", "Y[0,0,0]",
            "--json")
    body = "{ y = own.F (x) } <domain: \"own\", opset_import: [\"\" : 17]> F (a) => (b) { b = Neg (a) }"
    function = f"<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]> g (float[2] x) => (float[2] y) {body}"
    printed(schema, 0, "infer", function, "--json")
    printed(schema, 0, "infer", "h = NonZero (x)  y = Add (h, z)", "x=float32[N,3]", "z=int64[2,M]", "--json")
    printed(schema, 0, "infer", "Conv", "X=float32[N,3,H,H]", "W=float32[8,3,3,3]", "--sizes", "N=1..2,H=1..9", "--json")
    printed(schema, 0, "explain", function, "x=[1,2]:float32", "--at", "y[1]", "--json")
    printed(schema, 0, "explain", "testdata/ai.onnx.ml/TreeEnsembleRegressor/cases.json#1", "--at", "Y[0,0]", "--json")
    printed(schema, 0, "explain", "ai.onnx.ml.ZipMap", "-a", "classlabels_strings=a,b", "X=[1,2]:float32", "--at", 'Z[0]["a"]', "--json")
    two = ["h = Exp (x)  y = Softmax (h)", "x=[-1,2,3]:float32", "--runner"]
    half = f"{opref} run Exp X=[-1,2,3]:float32 -o {{outputs}}/h.npy && {opref} run Exp X=[-1,2,3.5]:float32 -o {{outputs}}/y.npy"
    printed(schema, 0, "bisect", *two, f"{opref} run {{inputs}} -o {{outputs}}/", "--json")
    printed(schema, 1, "bisect", *two, half.replace("X=", "input="), "--extract", folder + "/cases", "--json")
    printed(schema, 0, "bisect", "h = Exp (x)  y = Neg (h)", "x=[1,12]:float16", "--runner",
            f"{opref} run {{inputs}} -o {{outputs}}/", "--json")
    printed(schema, 5, "bisect", *two, "exit 5; {model}", "--json")
    printed(schema, 0, "show", y, z, CASE + "/model.onnx", "--json")
    printed(schema, 2, "show", y, "README.md", "--json")
    printed(schema, 0, "diff", y, y, "--json")
    printed(schema, 1, "diff", y, CASE + "/test_data_set_0/output_0.pb", "--json")
    printed(schema, 1, "diff", z, folder, "--json")
    printed(schema, 0, "check", CASE, "--list", "--json")
    printed(schema, 0, "check", CASE, "--json")
    printed(schema, 1, "report", "merge", "testdata/check-report-1.json", "testdata/check-report-2.json", "--json")
    printed(schema, 0, "report", "diff", "testdata/check-report-1.json", "testdata/check-report-2.json", "--json")
    printed(schema, 0, "golden", "LpPool", "--list", "--json", "--filter", "lp_pool_1_")
    printed(schema, 0, "golden", "LpPool", "--negative", "--filter", "lp_pool_22_f32_2d", "-o", folder + "/golden", "--json")
    printed(schema, 0, "golden", "--verify", folder + "/golden", "--json")
    printed(schema, 0, "ops", "--json")
    printed(schema, 0, "ops", "LpPool", "--json")
    printed(schema, 2, "run", "--json")
    printed(schema, 2, "run", "LpPool", "--ulpp", "--json")
    printed(schema, 3, "infer", "README.md", "--json")
    printed(schema, 4, "infer", "LpPool", "-a", "kernel_shape=2,2", "X=float32[1,1,3]", "--json")
    printed(schema, 5, "infer", "LpPool", "--opset", "99", "X=float32[1,1,3]", "--json")
    printed(schema, 6, "run", "no/such.onnx", "--json")
    printed(schema, 5, "ops", "NoSuchOperator", "--json")


def worker(schema, folder):
    """Its lines, and those that check sends to a worker."""
    log = folder + "/lines"
    command = f"tee {log} | {opref} worker | tee {log}.answers"
    text_of("check", "testdata/ai.onnx/Softmax", "-j", "1", "--runner", f"sh -c '{command}'")
    for file, name, least in ((log, "worker_request", 20), (log + ".answers", "worker_answer", 20)):
        lines = open(file).read().splitlines()
        if len(lines) < least:
            print(f"only {len(lines)} lines are a {name}")
            global failures
            failures += 1
        definition = jsonschema.Draft202012Validator({"$ref": "#/$defs/" + name, "$defs": schema.schema["$defs"]})
        for line in lines:
            require_valid(definition, json.loads(line), f"{name} {line}")


def must_fail():
    """A case that must be refused."""
    file = "testdata/ai.onnx/MaxUnpool/bad.json"
    return next(f"{file}#{number}" for number, case in enumerate(json.load(open(file)), 1) if isinstance(case["opset"], int))


def main():
    global failures
    document, report = validator("document-schema"), validator("report-schema")
    manifest, case = validator("manifest-schema"), validator("schema")
    with tempfile.TemporaryDirectory() as folder:
        documents(document, folder)
        worker(document, folder)
        runner = f"{opref} run {{inputs}} -o {{outputs}}/ --reading lp_pool.nan=skip"
        text_of("check", "testdata/ai.onnx/LpPool", "--exact", "--runner", runner, "--report", folder + "/r.json")
        text_of("check", "testdata/ai.onnx/LpPool", "--report", folder + "/s.json")
        text_of("check", "testdata/ai.onnx/LpPool", "--exact", "--runner", runner, "--report", folder + "/t.json", "--baseline",
                folder + "/s.json")
        for name in ("r.json", "s.json", "t.json"):
            require_valid(report, json.load(open(f"{folder}/{name}")), name)
        require_valid(manifest, json.load(open(folder + "/golden/manifest.json")), "manifest.json")
        text_of("golden", "If", "SequenceAt", "MaxUnpool", "--negative", "--layout", "npy", "--seed", "3", "--filter", "_1[135]_|float32|f32",
                "-o", folder + "/more")
        require_valid(manifest, json.load(open(folder + "/more/manifest.json")), "another manifest.json")
        made = glob.glob(folder + "/more/*/case.json")
        if len(made) < 10:
            print(f"only {len(made)} golden cases")
            failures += 1
    # Every member that the schema has of a document is in one of those above, so that it is seen to be right.
    for name, definition in document.schema["$defs"].items():
        command = definition.get("properties", {}).get("command", {}).get("const")
        for member in definition.get("properties", {}) if command else ():
            if (command, member) not in seen:
                print(f"no document here has {member} of {name}")
                failures += 1
    cases = [name for name in glob.glob("testdata/*/*/**/*.json", recursive=True)
             if not name.endswith("/mistakes.json")]
    if len(cases) < 80:
        print(f"only {len(cases)} files of cases and recipes")
        failures += 1
    error = jsonschema.Draft202012Validator({**case.schema, "anyOf": [{"$ref": "#/$defs/case/properties/expect_error"}]})
    for name in sorted(cases):
        require_valid(error if name.endswith("/expect_error.json") else case, json.load(open(name)), name)


main()
sys.exit(1 if failures else 0)
