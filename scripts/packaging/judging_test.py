# SPDX-License-Identifier: Apache-2.0
"""What of the module opref judges backends: check, golden, bisect, cases, the mark of pytest. It needs numpy alone; what needs
pytest or mypy is skipped without them. Usage: judging_test.py [OPREF], the program; with none, that of the module."""
import contextlib
import doctest
import importlib.util
import io
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

if importlib.util.find_spec("numpy") is None:
    print("numpy is not installed: the module is not tested")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
if len(sys.argv) > 1:
    program = os.path.abspath(sys.argv.pop(1))
    os.environ["PATH"] = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
    os.environ["PYTHONPATH"] = os.path.join(HERE, "python")
    sys.path.insert(0, os.environ["PYTHONPATH"])

import numpy

import opref
import opref._functions
import opref._judging
import opref._onnx_files
import opref._program

ROOT = os.path.join(HERE, "..", "..")
HELP = os.path.join(ROOT, "cli", "help", "python.md")
RELU = "_14_f32_r1"
MODEL = "h = Exp (x)  y = Softmax (h)"
X = numpy.float32([0, 1])


def is_there(module):
    """Debian's libonnx leaves a folder onnx that is no package."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def relu(model, inputs):
    return numpy.maximum(inputs["X"], 0)


def softmax_model(model, inputs):
    h = numpy.exp(inputs["x"])
    e = numpy.exp(h - h.max())
    return {"h": h, "y": e / e.sum()}


def wrong_softmax_model(model, inputs):
    return {**softmax_model(model, inputs), "y": numpy.exp(inputs["x"]) / 2}


def processes():
    """The command lines of this process's children and theirs that judge a function."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.splitlines()
    return [line for line in listed if (os.path.join(HERE, "") in line and "_relay.py" in line) or "--runner=python:" in line]


def left_behind():
    """Those that do not end by themselves within a minute, as the relay does once nobody is there: soon, unless the machine is
    busy."""
    for _ in range(600):
        found = processes()
        if not found:
            break
        time.sleep(0.1)
    return found


class CheckTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = opref.cases("Relu", filter=RELU)

    def test_a_function_returns_its_outputs_in_four_ways(self):
        for backend in (relu, lambda model, inputs: [relu(model, inputs)], lambda model, inputs: (relu(model, inputs),),
                        lambda model, inputs: {"Y": relu(model, inputs)}):
            report = opref.check(self.cases, backend=backend)
            self.assertEqual((bool(report), report.counts["pass"], report.failures), (True, len(self.cases), []))

    def test_it_is_called_with_a_model_and_its_inputs(self):
        seen = []

        def backend(model, inputs):
            seen.append((os.path.isfile(model), [*inputs], inputs["X"].dtype))
            return relu(model, inputs)

        opref.check(self.cases, backend=backend)
        self.assertEqual(seen, [(True, ["X"], numpy.dtype("float32"))] * len(self.cases))

    def test_it_is_called_in_this_thread_whatever_jobs_is(self):
        seen = []

        def backend(model, inputs):
            seen.append(threading.current_thread())
            return opref.run("Relu", inputs["X"])  # the module may be used meanwhile

        self.assertTrue(opref.check(self.cases, backend=backend, jobs=3))
        self.assertEqual(set(seen), {threading.current_thread()})

    def test_the_text_is_the_command_s(self):
        report = opref.check(self.cases[0], backend=lambda model, inputs: -inputs["X"])
        self.assertEqual((repr(report), report.exit_code), ("<opref.Report: 1 fail>", 1))
        self.assertTrue(str(report).startswith(f"fail {self.cases[0].id}: output 'Y' "), str(report))
        self.assertIn("1 case: 0 pass, 1 fail", report.text)
        self.assertEqual(report.failures[0]["name"], self.cases[0].id)
        self.assertEqual(report.document["backend"], "runner python:lambda")
        self.assertNotIn("--", report.text)

    def test_how_to_repeat_is_a_call(self):
        report = opref.check(self.cases, backend=lambda model, inputs: -inputs["X"], timeout=7.5)
        call = re.search(r"repeat: (opref.check.*)$", report.text, re.M)[1]
        repeated = eval(call.replace("backend=…", "backend=relu"), {"opref": opref, "relu": relu})
        self.assertEqual((repeated.counts["pass"], len(repeated.document["cases"])), (1, 1))
        self.assertIn("timeout=7.5", call)

    def test_an_exception_is_the_error_of_its_case(self):
        def backend(model, inputs):
            if inputs["X"].size:
                raise ValueError(f"a message\nof {model}")

        report = opref.check(self.cases[0], backend=backend)
        self.assertEqual((report.counts["error"], report.failures[0]["reason"]), (1, "ValueError: a message of model"))

    def test_what_is_not_implemented_is_unsupported(self):
        def backend(model, inputs):
            raise NotImplementedError("no Relu")

        report = opref.check(self.cases, backend=backend)
        self.assertEqual((report.counts["unsupported"], report.exit_code), (len(self.cases), 5))
        self.assertEqual(opref.check(self.cases, backend=backend, require_all=True).exit_code, 1)

    def test_what_is_no_output_is_told(self):
        for returned, said in ((None, "returned None: it must return an array, a dict"),
                               ({"Z": X}, "returned a dict: none of its names is that of an output, which is 'Y'"),
                               ((X, X), "returned 2 values: the model has 1"),
                               (object(), "returned a object: an array of objects is no tensor")):
            report = opref.check(self.cases[0], backend=lambda model, inputs: returned)
            self.assertIn(said, report.failures[0]["reason"])

    def test_a_function_that_takes_too_long_costs_its_case_alone(self):
        called = []

        def backend(model, inputs):
            called.append(model)
            if len(called) == 2:
                time.sleep(4)
            return relu(model, inputs)

        report = opref.check(self.cases, backend=backend, timeout=3)
        self.assertIn("no answer within 3 s", report.text)
        self.assertGreaterEqual(report.counts["pass"], 1)

    @unittest.skipIf(signal.getsignal(signal.SIGINT) == signal.SIG_IGN, "this process ignores interrupts")
    def test_an_interrupt_stops_everything(self):
        def backend(model, inputs):
            self.assertGreaterEqual(len(processes()), 1)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)

        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            opref.check(self.cases, backend=backend)
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(left_behind(), [])

    def test_what_is_no_exception_of_a_case_goes_on(self):
        def backend(model, inputs):
            sys.exit(3)

        with self.assertRaises(SystemExit):
            opref.check(self.cases, backend=backend)
        self.assertEqual(left_behind(), [])

    def test_a_process_that_dies_leaves_none_behind(self):
        code = """
        import opref, os, signal
        def backend(model, inputs):
            os.kill(os.getpid(), signal.SIGKILL)
        opref.check(opref.cases("Relu", filter="_14_f32_r1"), backend=backend)"""
        self.assertEqual(subprocess.run([sys.executable, "-c", textwrap.dedent(code)]).returncode, -signal.SIGKILL)
        self.assertEqual(left_behind(), [])

    def test_threads_judge_at_once(self):
        found = {}

        def judge(k):
            found[k] = opref.check(self.cases, backend=relu).counts["pass"]

        threads = [threading.Thread(target=judge, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {k: len(self.cases) for k in range(3)})

    def test_a_temporary_folder_with_a_long_name(self):
        with tempfile.TemporaryDirectory() as folder:
            long = os.path.join(folder, "a" * 120)
            os.mkdir(long)
            with unittest.mock.patch("tempfile.tempdir", long):
                self.assertTrue(opref.check(self.cases[0], backend=relu))

    def test_reports_go_where_the_command_writes_them(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            report = opref.check(self.cases, backend=relu, report="r.json", junit="r.xml", html=pathlib.Path("r.html"),
                                 markdown="r.md")
            self.assertEqual(sorted(os.listdir()), ["r.html", "r.json", "r.md", "r.xml"])
            with open("r.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file), report.document)
            wrong = opref.check(self.cases, backend=lambda model, inputs: -inputs["X"], baseline="r.json")
            self.assertIn("new failure", wrong.text)

    def test_a_command_is_a_backend_and_opref_itself(self):
        self.assertTrue(opref.check(self.cases, backend=f"{shlex.quote(opref._program.program())} run {{inputs}} -o {{outputs}}/"))
        self.assertTrue(opref.check(self.cases))
        self.assertTrue(opref.check([os.path.join(case.folder, case.id) for case in self.cases]))

    def test_a_rule_is_chosen(self):
        def nearly(model, inputs):
            return numpy.nextafter(relu(model, inputs), numpy.float32(9))

        for rule, passes in (({"exact": True}, False), ({"ulp": 1}, True), ({"rtol": 1e-3, "atol": 1e-30}, True)):
            self.assertEqual(bool(opref.check(self.cases[0], backend=nearly, **rule)), passes, rule)
        for bound in (True, {"accumulator": "float16", "flush": True}, "accumulator=float16"):
            self.assertTrue(opref.check(self.cases[0], backend=relu, bound=bound))

    def test_what_the_command_refuses_is_an_error(self):
        for call, fault, said in ((lambda: opref.check("nosuch"), "system", "^no such file or folder: nosuch$"),
                                  (lambda: opref.check(self.cases, filter="nosuch"), "usage", "name matches 'nosuch'"),
                                  (lambda: opref.check([]), "usage", "no cases"),
                                  (lambda: opref.check(self.cases, backend="nosuch-program"), "system", "cannot be started"),
                                  (lambda: opref.check(self.cases, backend=relu, outputs="."), "usage", "two backends"),
                                  (lambda: opref.check(self.cases, backend=relu, bound="x=1"), "usage", "bound")):
            with self.assertRaisesRegex(opref.Error, said) as raised:
                call()
            self.assertEqual(raised.exception.fault, fault, str(raised.exception))
            self.assertNotIn("--", str(raised.exception))
        for call, said in ((lambda: opref.check(self.cases, backend=3), "backend=3: it must be a function"),
                           (lambda: opref.check(self.cases, timeout="1"), "timeout='1': it must be a float"),
                           (lambda: opref.check(self.cases, jobs=1.5), "jobs=1.5: it must be an int")):
            with self.assertRaisesRegex(TypeError, said):
                call()


class BisectTest(unittest.TestCase):
    def test_the_wrong_node_is_named(self):
        right = opref.bisect(MODEL, {"x": X}, backend=softmax_model)
        self.assertEqual((bool(right), right.wrong), (True, []))
        for inputs in ({"x": X}, [X], (X,), {"x": [0.0, 1.0]}):
            found = opref.bisect(MODEL, inputs, backend=wrong_softmax_model)
            self.assertEqual(repr(found), "<opref.Bisection: 2 nodes, wrong: y (Softmax)>")
        self.assertTrue(found.text.startswith("fail y (Softmax-13): "))
        self.assertEqual([node["name"] for node in found.document["nodes"]], ["y", "h"])

    def test_values_that_are_there(self):
        h = numpy.exp(X)
        found = opref.bisect(MODEL, [X], outputs={"h": h, "y": h})
        self.assertEqual([node["name"] for node in found.wrong], ["y"])

    def test_the_nodes_that_fail_become_cases(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            found = opref.bisect(MODEL, [X], backend=wrong_softmax_model, extract="wrong", html="r.html", report="r.json")
            with open("r.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file), found.document)
            self.assertIn("repeat: opref.check('wrong/y', backend=wrong_softmax_model, bound=True)", found.text)
            case = opref.cases("wrong")[0]
            numpy.testing.assert_array_equal(case.inputs["h"], numpy.exp(X))
            self.assertTrue(os.path.getsize("r.html") > 0)

    def test_a_case_has_its_inputs(self):
        case = opref.cases("Relu", filter=RELU)[0]
        self.assertTrue(opref.bisect(case, backend=relu))

    def test_what_the_command_refuses_is_an_error(self):
        for call, said in ((lambda: opref.bisect(MODEL, backend=softmax_model), "'x' has no value: give x="),
                           (lambda: opref.bisect(MODEL, [X]), "no backend: give backend=…"),
                           (lambda: opref.bisect(MODEL, {"z": X}, backend=softmax_model), "'z' is not an input here")):
            with self.assertRaisesRegex(opref.Error, said):
                call()


class GoldenTest(unittest.TestCase):
    def test_cases_are_made_and_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            made = opref.golden("Relu", output=folder, filter=RELU)
            self.assertEqual((made.text, made.folder), (f"3 cases in {folder}", folder))
            self.assertEqual(len(made.document["cases"]), 3)
            self.assertEqual(repr(made), f"<opref.Golden: 3 cases in {folder}>")
            self.assertTrue(opref.golden(verify=folder))
            with open(os.path.join(folder, sorted(os.listdir(folder))[-1], "test_data_set_0", "output_0.pb"), "ab") as file:
                file.write(b"x")
            wrong = opref.golden(verify=folder)
            self.assertEqual((bool(wrong), len(wrong.document["problems"])), (False, 1))

    def test_a_recipe_is_a_dict(self):
        recipe = {"op_type": "Neg", "opset": 13, "inputs": {"X": {"dtype": "float32", "shape": [3], "fill": "normal"}}}
        self.assertEqual(len(opref.cases(recipe)), 1)
        with self.assertRaisesRegex(opref.Error, "in the recipe") as raised:
            opref.golden({"op_type": "Neg", "inputs": 3}, output="nosuch")
        self.assertNotIn("/opref-", str(raised.exception))

    def test_names_alone(self):
        listed = opref.golden("Relu", filter=RELU, list=True)
        self.assertEqual(listed.text.splitlines(), listed.document["names"])
        self.assertEqual(len(listed.document["names"]), 3)

    def test_what_the_command_refuses_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "output=…"):
            opref.golden("Relu")
        for call, said in ((lambda: opref.golden("Rellu", list=True), "did you mean 'Relu'"),
                           (lambda: opref.golden(output="x"), "RECIPE is missing")):
            with self.assertRaisesRegex(opref.Error, said):
                call()


class CasesTest(unittest.TestCase):
    def test_a_case_is_an_object(self):
        case = opref.cases("Softmax", filter="_13_f32_2d_axis-0$")[0]
        self.assertEqual((repr(case), case.id), ("<opref.Case softmax_13_f32_2d_axis-0>", "softmax_13_f32_2d_axis-0"))
        self.assertEqual(([*case.inputs], [*case.outputs], case.attributes), (["input"], ["output"], {"axis": 0}))
        self.assertEqual(case.model, os.path.join(os.fspath(case), "model.onnx"))
        numpy.testing.assert_array_equal(opref.run(case.model, **case.inputs), case.outputs["output"])

    def test_outputs_are_judged(self):
        case = opref.cases("Relu", filter=RELU)[0]
        self.assertTrue(case.judge(case.outputs))
        self.assertTrue(case.judge(case.outputs["Y"], exact=True))
        wrong = case.judge((-case.outputs["Y"] - 1,))
        self.assertFalse(wrong)
        self.assertNotIn("repeat", wrong.text)

    def test_they_are_made_once_and_go_at_the_end(self):
        self.assertEqual([*map(id, opref.cases("Relu", filter=RELU))], [*map(id, opref.cases("Relu", filter=RELU))])
        code = "import opref; print(opref.cases('Relu', filter='_14_f32_r1')[0].folder)"
        folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        self.assertFalse(os.path.exists(folder))

    def test_cases_of_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            opref.golden("Relu", output=folder, filter=RELU)
            found = opref.cases(folder, filter="integers")
            self.assertEqual([case.id for case in found], ["relu_14_f32_r1_integers"])
            self.assertEqual(opref.cases(os.fspath(found[0]))[0].id, "relu_14_f32_r1_integers")
            second = os.path.join(os.fspath(found[0]), "test_data_set_1")
            os.rename(os.path.join(os.fspath(opref.cases(folder, filter="uniform")[0]), "test_data_set_0"), second)
            several = opref.cases(os.fspath(found[0]))
            self.assertEqual([case.id for case in several], ["relu_14_f32_r1_integers", "relu_14_f32_r1_integers#1"])
            self.assertNotEqual(several[0].inputs["X"].tolist(), several[1].inputs["X"].tolist())
            for case in several:
                self.assertTrue(case.judge(case.outputs))
            self.assertFalse(several[0].judge(several[1].outputs))
            self.assertTrue(opref.check(several, backend=relu))

    def test_layers_of_openvino(self):
        case = opref.cases("openvino.Mish", filter="_f32_r1")[0]
        self.assertEqual((os.path.basename(case.model), [*case.inputs], [*case.outputs]), ("layer.xml", ["arg"], ["output0"]))
        self.assertTrue(case.judge(case.outputs))

    def test_where_there_are_none(self):
        with self.assertRaisesRegex(opref.Error, "only JSON cases; opref.check judges them"):
            opref.cases(os.path.join(ROOT, "testdata", "ai.onnx", "Relu"))
        with self.assertRaisesRegex(opref.Error, "did you mean 'Relu'"):
            opref.cases("Rellu")
        with self.assertRaisesRegex(TypeError, "seed and layout are for cases that are made"):
            opref.cases(ROOT, seed=1)

    def test_sequences_maps_and_strings(self):
        for operator in ("SequenceInsert", "OptionalGetElement", "StringNormalizer", "ai.onnx.ml.DictVectorizer"):
            cases = opref.cases(operator)[:4]
            self.assertTrue(cases[0].judge(cases[0].outputs), operator)
            for backend in (lambda model, inputs: opref.run(model, **inputs), lambda model, inputs: [opref.run(model, **inputs)]):
                report = opref.check(cases, backend)
                self.assertEqual(repr(report), f"<opref.Report: {len(cases)} pass>", report.text)


class FilesTest(unittest.TestCase):
    """Each form that ONNX's format has for a tensor, written out by its rules."""

    def read(self, message, kind=opref._onnx_files.TENSOR, element=0):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.pb")
            with open(path, "wb") as file:
                file.write(message)
            with open(os.path.join(folder, "data"), "wb") as file:
                file.write(bytes(4) + numpy.float32([1, 2]).tobytes())
            return opref._onnx_files.read_value(path, opref._onnx_files.Declared("t", kind, element))

    def test_raw_and_typed_data(self):
        floats = numpy.float32([1, -2]).tobytes()
        for message, dtype, values in ((b"\x08\x02\x10\x01\x4a\x08" + floats, "float32", [1, -2]),
                                       (b"\x0a\x01\x02\x10\x01\x22\x08" + floats, "float32", [1, -2]),  # packed dims
                                       (b"\x08\x02\x10\x01\x25" + floats[:4] + b"\x25" + floats[4:], "float32", [1, -2]),
                                       (b"\x08\x01\x10\x03\x2a\x0a" + b"\xff" * 9 + b"\x01", "int8", [-1]),
                                       (b"\x08\x01\x10\x07\x3a\x0a" + b"\xfe" + b"\xff" * 8 + b"\x01", "int64", [-2]),
                                       (b"\x08\x01\x10\x0a\x2a\x02\x80\x78", "float16", [1]),
                                       (b"\x08\x02\x10\x09\x2a\x02\x01\x00", "bool", [True, False]),
                                       (b"\x08\x01\x10\x0c\x5a\x01\x07", "uint32", [7]),
                                       (b"\x08\x01\x10\x0e\x22\x08" + floats, "complex64", [1 - 2j]),
                                       (b"\x10\x06\x4a\x04\x05\x00\x00\x00", "int32", 5),
                                       (b"\x08\x00\x10\x01", "float32", []),
                                       (b"\x08\x02\x10\x01\x6a\x10\x0a\x08location\x12\x04data"
                                        b"\x6a\x0b\x0a\x06offset\x12\x014\x6a\x0b\x0a\x06length\x12\x018\x70\x01", "float32", [1, 2])):
            made = self.read(message)
            self.assertEqual((made.dtype.name, made.tolist()), (dtype, values), message)
        self.assertEqual(self.read(b"\x08\x02\x10\x08\x32\x01a\x32\x02\xc3\xa9").tolist(), ["a", "é"])

    @unittest.skipIf(not is_there("ml_dtypes"), "ml_dtypes is not installed")
    def test_types_that_numpy_lacks(self):
        for number, name, data, values in ((22, "int4", b"\xf1\x08", [1, -1, -8]), (26, "int2", b"\x2d", [1, -1, -2]),
                                           (16, "bfloat16", b"\x80\x3f\x00\xc0\x00\x00", [1, -2, 0]),
                                           (27, "float6_e2m3fn", b"\x08\x82\x00", [1, 1, 1])):
            made = self.read(b"\x08\x03\x10" + bytes([number]) + b"\x4a" + bytes([len(data)]) + data)
            self.assertEqual((made.dtype.name, made.astype(float).tolist()), (name, values))
        self.assertEqual(self.read(b"\x08\x01\x10\x04\x4a\x02\x80\x3f", element=16).astype(float).tolist(), [1])


class RunTest(unittest.TestCase):
    def test_an_operator_by_its_name_returns_its_required_outputs(self):
        x, one = numpy.float32([[1, 2, 4]]), numpy.ones(3, numpy.float32)
        self.assertEqual(opref.run("LayerNormalization", x, one).shape, (1, 3))
        y, mean = opref.run("LayerNormalization", x, one, outputs=["Y", "Mean"])
        self.assertEqual((y.shape, mean.shape), ((1, 3), (1, 1)))
        self.assertEqual(opref.run("MaxPool", x[None], kernel_shape=[2]).tolist(), [[[2, 4]]])
        self.assertEqual(opref.run("MaxPool", x[None], kernel_shape=[2], outputs="Indices").tolist(), [[[1, 2]]])
        self.assertEqual(len(opref.run("TopK", x, [1])), 2)
        self.assertEqual(len(opref.run("BatchNormalization", x, one, one, one, one, training_mode=1)), 3)
        state = numpy.zeros((1, 4, 2), numpy.float32)
        self.assertEqual(len(opref.run("LSTM", x[:, None, :2], state, state[:, :, :1], hidden_size=1)), 3)  # all are optional
        self.assertEqual(len(opref.run("Y, I = MaxPool <kernel_shape = [2]> (X)", x[None])), 2)
        self.assertTrue(opref.judge("MaxPool", x[None], kernel_shape=[2], outputs={"Indices": numpy.int64([[[1, 2]]])}))

    def test_a_list_of_numbers_takes_the_type_of_the_node(self):
        x = numpy.float32([1, 2])
        self.assertEqual(opref.run("Add", x, [3, 0.5]).tolist(), [4, 2.5])
        self.assertEqual(opref.run("Add", x, [3, 0.5]).dtype, numpy.float32)
        self.assertEqual(opref.run("Add", [3, float("inf")], x).tolist(), [4, float("inf")])
        self.assertEqual(opref.run("Resize", [[1.0, 2.0]], None, [1, 2.0]).dtype, numpy.float64)
        self.assertTrue(opref.judge("Relu", x, outputs=[1, 2]))
        self.assertTrue(opref.compare(x, [1, 2]))
        self.assertFalse(opref.compare([1.5], numpy.int64([1])))
        # Where the node leaves it open, and of long lists, it is numpy's.
        self.assertEqual(opref.run("Relu", [1.0]).dtype, numpy.float64)
        self.assertEqual(opref.run("Neg", [1]).dtype, numpy.int64)
        self.assertEqual(opref.run("QuantizeLinear", x, 0.5, numpy.int8(0)).tolist(), [2, 4])  # it has no float64
        self.assertEqual(opref.run("Relu", [1.0] * 1001).dtype, numpy.float64)
        with self.assertRaisesRegex(opref.Error, "B has type float64"):
            opref.run("Add", x, numpy.float64([1, 2]))

    def test_the_bound_is_a_flag_or_a_kernel(self):
        x = numpy.float32([[1, 2, 4]])
        y = opref.run("Softmax", x)
        for bound in (True, {"accumulator": "float16"}, "accumulator=float16"):
            self.assertTrue(opref.judge("Softmax", x, outputs=y, bound=bound))
        self.assertIn("float16", opref.judge("Softmax", x, outputs=y + 1, bound={"accumulator": "float16"}).text)

    def test_reprs_are_short(self):
        for made in (opref.judge("Relu", X, outputs=X), opref.judge("Relu", X, outputs=-X), opref.compare(X, X + 1),
                     opref.explain("Relu", X, at=0)):
            self.assertLess(len(repr(made)), 200)
            self.assertTrue(repr(made).startswith("<opref."), repr(made))

    def test_names_of_other_frameworks(self):
        x = numpy.ones((1, 1, 4, 4), numpy.float32)
        for call, said in ((lambda: opref.run("Conv", x, x, padding=1), r"give pads=\[1,1,1,1\]$"),
                           (lambda: opref.run("Conv", x, x, padding="same"), "give auto_pad='SAME_UPPER'$"),
                           (lambda: opref.run("Softmax", x, dim=1), "give axis=1$")):
            with self.assertRaisesRegex(opref.Error, said):
                call()
        for call, said in ((lambda: opref.check("x", tolerance=1), "did you mean rtol or atol or ulp"),
                           (lambda: opref.golden("Relu", filtr="x"), "did you mean filter"),
                           (lambda: opref.bisect("y = Relu (x)", x=x), "there are backend, outputs, ")):
            with self.assertRaisesRegex(TypeError, said):
                call()
        with self.assertRaisesRegex(opref.Error, r"no such file or folder: Softmax; opref.cases\('Softmax'\)"):
            opref.check("Softmax", relu)

    def test_what_is_not_here_is_told_with_what_is(self):
        for name, said in (("conv", r'opref.run\("Conv", …\)'), ("Conv", r'opref.run\("Conv", …\)'),
                           ("layer_norm", r'opref.run\("LayerNormalization", …\)'), ("InferenceSession", "opref.backend.prepare"),
                           ("load", "opref.run takes the path"), ("allclose", "opref.compare"), ("extract", "only on the command line"),
                           ("nothing", "has no attribute 'nothing'$"), ("_private", "has no attribute '_private'$")):
            with self.assertRaisesRegex(AttributeError, said):
                getattr(opref, name)


@unittest.skipIf(not is_there("pytest"), "pytest is not installed")
class PytestTest(unittest.TestCase):
    FILE = """
        import numpy, opref, pytest

        @pytest.fixture
        def sign():
            return 1

        @pytest.mark.opref("Relu", filter="_14_f32_r1")
        def test_right(case, sign):
            return sign * numpy.maximum(case.inputs["X"], 0)

        @pytest.mark.opref("Relu", filter="_14_f32_r1_integers")
        def test_wrong(case):
            return -case.inputs["X"]

        @pytest.mark.opref("Relu", filter="_14_f32_r1_integers", ulp=0)
        def test_by_itself(case):
            assert case.judge(numpy.maximum(case.inputs["X"], 0))

        @pytest.mark.parametrize("case", opref.cases("Relu", filter="_14_f32_r1"), ids=lambda case: case.id)
        def test_with_parametrize(case):
            assert case.judge(numpy.maximum(case.inputs["X"], 0))
        """

    def run_pytest(self, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test_kernels.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(text))
            plugin = [] if opref._program._installed() else ["-p", "opref.pytest_plugin"]
            done = subprocess.run([sys.executable, "-B", "-m", "pytest", *plugin, "-p", "no:cacheprovider", "--strict-markers",
                                   *words, path], capture_output=True, text=True, cwd=folder)
        return done.stdout + done.stderr

    def test_a_mark_runs_a_test_on_each_case_and_judges_it(self):
        said = self.run_pytest(self.FILE)
        self.assertIn("1 failed, 7 passed", said)
        self.assertIn("test_wrong[relu_14_f32_r1_integers]", said)
        self.assertRegex(said, r"(?m)^fail relu_14_f32_r1_integers: output 'Y' ")
        self.assertNotIn("Traceback", said)
        self.assertNotIn("warning", said)

    @unittest.skipIf(not is_there("xdist"), "pytest-xdist is not installed")
    def test_processes_share_the_cases(self):
        self.assertIn("1 failed, 7 passed", self.run_pytest(self.FILE, "-n", "2"))

    def test_a_mark_that_is_wrong_is_told(self):
        for line, argument, said in (('"Rellu"', "case", "opref.cases: .*did you mean 'Relu'"),
                                     ('"Relu"', "", "takes the argument 'case'"), ("", "case", "the mark takes an operator")):
            self.assertRegex(self.run_pytest(f"import pytest\n@pytest.mark.opref({line})\ndef test_it({argument}):\n    pass\n"), said)


@unittest.skipIf(not is_there("mypy"), "mypy is not installed")
class HintsTest(unittest.TestCase):
    CALLS = """
        from typing import Any, Dict
        import numpy
        import opref

        X = numpy.ones(2, numpy.float32)

        def backend(model: str, inputs: Dict[str, Any]) -> Dict[str, numpy.ndarray]:
            return {"Y": numpy.maximum(inputs["X"], 0)}

        y = opref.run("Add", X, [1.0, 2.0], opset=14)
        print(y + 1, opref.run("TopK", [[1.0]], [1])[0])
        report: opref.Report = opref.check(opref.cases("Relu"), backend=backend, junit="r.xml", bound={"accumulator": "float16"})
        found = opref.bisect("y = Relu (x)", {"x": X}, backend=lambda model, inputs: [inputs["x"]])
        print(report.counts["pass"], found.wrong, opref.golden("Relu", output="x").folder, opref.judge("Relu", [1.0], outputs=[1.0]).equal)
        """

    def mypy(self, *words):
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *words], capture_output=True, text=True,
                              cwd=os.path.join(HERE, "python"))

    def test_the_module(self):
        done = self.mypy("-p", "opref")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(self.CALLS))
            done = self.mypy(path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(path, "a", encoding="utf-8") as file:
                file.write('opref.check("cases", backend=lambda model: model)\n')
            self.assertEqual(self.mypy(path).returncode, 1)


class ExamplesTest(unittest.TestCase):
    def test_those_of_the_module(self):
        for module in (opref, opref._judging):
            tried = doctest.testmod(module, extraglobs=vars(opref))
            self.assertEqual((tried.failed, tried.attempted > 5), (0, True))

    def test_those_of_the_help_page(self):
        """The lines of a ```python block run in order; "# …" behind a line is what it prints, a block with pytest is a test."""
        with open(HELP, encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        names = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in blocks:
                if "import onnx.parser" in block and not is_there("onnx.parser"):
                    continue
                if "pytest" in block:
                    if is_there("pytest"):
                        self.assertRegex(PytestTest.run_pytest(self, block), r"(?m)^=* ?\d+ passed in ")
                    continue
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(block, names)
                promised = [line[1] for line in re.finditer(r"^print\(.*  # (.*)$", block, re.M)]
                self.assertEqual(printed.getvalue().splitlines(), promised)


if __name__ == "__main__":
    import unittest.mock
    unittest.main()
