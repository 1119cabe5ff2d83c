# SPDX-License-Identifier: Apache-2.0
"""The module opref as it is installed: arrays of all kinds in and out, nodes as text and messages, refusals."""
import contextlib
import doctest
import os
import re
import tempfile
import threading
import unittest

import ml_dtypes
import numpy
import onnx
import onnx.parser
from onnx import helper

import opref
import opref.backend

HELP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "help", "install.md")
POOL = "Y = LpPool <kernel_shape = [2], p = 1> (X)"
X = numpy.float32([[[1, 2, 3]]])


GRAPH = """<ir_version: 10, opset_import: ["": 21]> g (float[1,1,N] x, float[1] w) => (float[1,1,M] y) {
    c = Relu (x)  pooled = MaxPool <kernel_shape = [2]> (c)  y = Mul (pooled, w) }"""


def identity_model():
    tensor = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None]) for name in "XY"]
    graph = helper.make_graph([helper.make_node("Identity", ["X"], ["Y"])], "g", tensor[:1], tensor[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


class RunTest(unittest.TestCase):
    def test_one_output_is_an_array_of_its_type(self):
        y = opref.run(POOL, X=X)
        self.assertEqual(y.dtype, numpy.float32)
        numpy.testing.assert_array_equal(y, [[[3, 5]]])

    def test_attributes_and_inputs_are_keywords(self):
        for node, opset in (("LpPool", 18), ("LpPool-18", None), ("LpPool", None)):
            numpy.testing.assert_array_equal(opref.run(node, X=X, kernel_shape=[2], p=1, opset=opset), [[[3, 5]]])
        numpy.testing.assert_array_equal(opref.run("ReduceSum-11", data=X, axes=[2], keepdims=False), [[6]])
        numpy.testing.assert_array_equal(opref.run("ReduceSum", data=X, axes=numpy.int64([2]), keepdims=0), [[6]])
        self.assertEqual(opref.run("StringNormalizer", X=["a", "b", "c"], stopwords=["a", "c"]).tolist(), ["b"])
        made = opref.run("ConstantOfShape", numpy.int64([2]), value=numpy.float16([3]))
        self.assertEqual((made.dtype, made.tolist()), (numpy.float16, [3, 3]))

    def test_tensors_by_place(self):
        numpy.testing.assert_array_equal(opref.run("Sub", X, numpy.float32(1)), X - 1)
        numpy.testing.assert_array_equal(opref.run("Concat", X, X, axis=-1), numpy.concatenate([X, X], -1))
        node = helper.make_node("Sub", ["a", "b"], ["c"])
        numpy.testing.assert_array_equal(opref.run(node, X, X), X - X)
        with self.assertRaisesRegex(TypeError, "3 tensors are given, but there are 2 inputs: A, B"):
            opref.run("Sub", X, X, X)

    def test_a_relative_path_is_one_of_the_folder_that_is_now_the_current_one(self):
        for factor in (1, 2):
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                onnx.save(onnx.parser.parse_model(GRAPH), "m.onnx")
                self.assertEqual(opref.run("m.onnx", x=X, w=numpy.float32([factor])).tolist(), [[[2 * factor, 3 * factor]]])

    def test_options_of_the_command_line_are_refused(self):
        with self.assertRaisesRegex(TypeError, "opset=18"):
            opref.run("LpPool", "--opset", "18", X=X)

    def test_readings_are_chosen_and_told(self):
        x = numpy.float32([[[numpy.nan, 2, 3]]])
        with self.assertWarnsRegex(UserWarning, "lp_pool.nan"):
            self.assertTrue(numpy.isnan(opref.run("LpPool", X=x, kernel_shape=2, p=1)[0, 0, 0]))
        self.assertEqual(opref.run("LpPool", X=x, kernel_shape=2, p=1, readings={"lp_pool.nan": "skip"})[0, 0, 0], 2)

    def test_several_outputs_are_a_tuple_in_order(self):
        y, indices = opref.run("Y, I = MaxPool <kernel_shape = [2]> (X)", X=X)
        numpy.testing.assert_array_equal(y, [[[2, 3]]])
        numpy.testing.assert_array_equal(indices, [[[1, 2]]])

    def test_a_message_of_onnx_is_a_node(self):
        node = helper.make_node("LpPool", ["X"], ["Y"], kernel_shape=[2], p=1)
        numpy.testing.assert_array_equal(opref.run(node, X=X), [[[3, 5]]])

    def test_names_that_files_cannot_have(self):
        node = helper.make_node("Identity", ["a/b:c"], ["d/é"])
        numpy.testing.assert_array_equal(opref.run(node, **{"a/b:c": X}), X)

    def test_names_that_look_like_options(self):
        for name in ("--help", "-a", "-o", "--json", "--", "-1"):
            node = helper.make_node("Relu", [name], ["y"])
            numpy.testing.assert_array_equal(opref.run(node, **{name: X}), X)
            self.assertEqual(opref.infer(node, **{name: X})["y"].dtype, "float32")
            self.assertTrue(opref.judge(node, **{name: X}, outputs=X).equal)
        for node in ("--help", "--version", "-h"):
            with self.assertRaises(opref.Error):
                opref.run(node, X=X)
            with self.assertRaises(opref.Error):
                opref.ops(node)

    def test_types_of_ml_dtypes_go_in_and_out(self):
        for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
            x = numpy.array([1, -2, 3], dtype)
            y = opref.run("Y = Identity (X)", X=x)
            self.assertEqual(y.dtype, x.dtype)
            self.assertEqual(y.tobytes(), x.tobytes())

    def test_strings_sequences_and_variadic_inputs(self):
        self.assertEqual(opref.run("Y = Identity (X)", X=numpy.array(["a", "bc"], object)).tolist(), ["a", "bc"])
        sequence = opref.run("S = SequenceConstruct (X, X2)", X=X, X2=2 * X)
        self.assertEqual(len(sequence), 2)
        numpy.testing.assert_array_equal(opref.run("Y = SequenceAt (S, I)", S=sequence, I=numpy.int64(1)), 2 * X)
        joined = opref.run("Concat", axis=0, inputs=(X, 2 * X))
        numpy.testing.assert_array_equal(joined, numpy.concatenate([X, 2 * X]))

    def test_a_refusal_is_an_error_with_its_fault(self):
        with self.assertRaisesRegex(opref.Error, "kernel_shape") as raised:
            opref.run("Y = LpPool <kernel_shape = [2, 2], p = 1> (X)", X=X)
        self.assertEqual(raised.exception.fault, "invalid")
        self.assertNotIn("command line", str(raised.exception))
        with self.assertRaises(opref.Error) as raised:
            opref.run("LpPol", X=X)
        self.assertEqual(raised.exception.fault, "unsupported")

    def test_a_refusal_says_what_to_do_in_python(self):
        with self.assertRaises(opref.Error) as raised:
            opref.run("LpPool", kernel_shape=[2])
        self.assertEqual(raised.exception.way_out, "give X=…")
        with self.assertRaises(opref.Error) as raised:
            opref.run(helper.make_node("LpPool", ["X"], ["Y"], kernel_shape=[2, 2]), X=X)
        self.assertFalse([place for place in raised.exception.places if "/" in place], raised.exception.places)

    def test_objects_are_no_tensor(self):
        with self.assertRaisesRegex(TypeError, "objects"):
            opref.run("Identity", input=numpy.array([None, b"b"]))


class OtherCommandsTest(unittest.TestCase):
    def test_judge_names_the_cause(self):
        x = numpy.float32([[[256, 1, 1]]])
        judged = opref.judge("LpPool", X=x, kernel_shape=[3], p=1, outputs={"Y": numpy.float32([[[256]]])})
        self.assertFalse(judged)
        self.assertIn("bfloat16 accumulation", judged.text)
        self.assertTrue(opref.judge("LpPool", X=x, kernel_shape=[3], p=1, outputs=numpy.float32([[[258]]]), exact=True))

    def test_compare_by_a_rule(self):
        self.assertFalse(opref.compare(X, X + 1))
        self.assertTrue(opref.compare(X, X + 1, atol=1))
        half = numpy.array([1, 2], ml_dtypes.bfloat16)
        self.assertTrue(opref.compare(half, half))
        self.assertTrue(opref.compare(X, X + 1).text.startswith("actual differs"))
        self.assertIn("ignore_dtype=True compares the values", opref.compare(X, X.astype(numpy.float64)).text)
        with self.assertRaises(opref.Error):
            opref.compare(X, X, ulp=1, rtol=1.0)

    def test_explain_an_element(self):
        told = opref.explain("LpPool", X=X, kernel_shape=[2], p=1, at=(0, 0, 1))
        self.assertEqual((told.value, told.document["at"]), ("5", [0, 0, 1]))
        with self.assertRaises(opref.Error):
            opref.explain("LpPool", X=X, kernel_shape=[2], at="Y[0,0,9]")

    def test_infer_by_types(self):
        self.assertEqual(opref.infer("LpPool", "float16[1,1,4]", kernel_shape=[2]), {"Y": ("float16", (1, 1, 3))})
        self.assertEqual(opref.infer(identity_model(), X=numpy.float32([1, 2])), {"Y": ("float32", (2,))})

    def test_ops(self):
        self.assertGreater(len(opref.ops()), 200)
        with self.assertRaises(opref.Error) as raised:
            opref.ops("LpPol")
        self.assertIn("LpPool", str(raised.exception))

    def test_a_command_that_crashes_leaves_the_others(self):
        self.assertRegex(opref.__version__, r"^\d+\.\d+\.\d+$")
        with self.assertRaises(opref.Error):
            opref.ops("no such operator")
        numpy.testing.assert_array_equal(opref.run("Relu", X=-X), 0 * X)


class ExamplesTest(unittest.TestCase):
    def test_those_of_the_module(self):
        tried = doctest.testmod(opref, extraglobs=vars(opref))
        self.assertEqual((tried.failed, tried.attempted > 0), (0, True))

    def test_those_of_the_help_page(self):
        with open(HELP, encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
        self.assertEqual(len(blocks), 2)
        names = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            exec(blocks[0], names)
            numpy.testing.assert_array_equal(names["y"], [[[3, 5]]])
            self.assertEqual((names["judged"].equal, names["types"]), (True, {"Y": ("float32", (1, 1, 2))}))
            self.assertTrue(names["told"].exact.startswith("2.2360679774997896"))
            onnx.save(identity_model(), "model.onnx")
            names["x"] = numpy.float32([7])
            exec(blocks[1], names)
            numpy.testing.assert_array_equal(names["y"], [7])


class BackendTest(unittest.TestCase):
    def test_a_refused_case_leaves_the_worker_at_work(self):
        prepared = opref.backend.prepare(identity_model())
        with self.assertRaises(opref.Error):
            prepared.run([numpy.int64([1])])
        numpy.testing.assert_array_equal(prepared.run([numpy.float32([1])])[0], [1])
        numpy.testing.assert_array_equal(prepared.run({"X": numpy.float32([2])})["Y"], [2])

    def test_sequences_go_in_and_out(self):
        model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21]>
            g (seq(float[N]) S, float[N] X) => (seq(float[N]) T) { T = SequenceInsert (S, X) }""")
        made = opref.backend.prepare(model).run([[numpy.float32([1]), numpy.float32([2])], numpy.float32([3])]).T
        self.assertEqual([float(element[0]) for element in made], [1, 2, 3])

    def test_a_worker_that_died_is_followed_by_another(self):
        prepared = opref.backend.prepare(identity_model())
        prepared.run([numpy.float32([1])])
        opref.backend._worker._process.kill()
        opref.backend._worker._process.wait()
        numpy.testing.assert_array_equal(prepared.run([numpy.float32([3])])[0], [3])

    def test_threads_share_the_worker(self):
        prepared = opref.backend.prepare(identity_model())
        got = {}

        def run(k):
            got[k] = float(prepared.run([numpy.float32([k])])[0][0])

        threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, {k: k for k in range(8)})

    def test_run_node_and_devices(self):
        node = helper.make_node("LpPool", ["X"], ["Y"], kernel_shape=[2], p=1)
        numpy.testing.assert_array_equal(opref.backend.run_node(node, [X], opset_version=18).Y, [[[3, 5]]])
        self.assertFalse(opref.backend.supports_device("CUDA"))
        with self.assertRaises(ValueError):
            opref.backend.prepare(identity_model(), "CUDA")

    def test_unknown_operators_are_not_compatible(self):
        model = identity_model()
        self.assertTrue(opref.backend.is_compatible(model))
        model.graph.node[0].op_type = "NoSuchOperator"
        self.assertFalse(opref.backend.is_compatible(model))
        with self.assertRaises(opref.Error) as raised:
            opref.backend.prepare(model)
        self.assertEqual(raised.exception.fault, "unsupported")

    def test_a_path_is_a_model(self):
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(identity_model(), folder + "/m.onnx")
            numpy.testing.assert_array_equal(opref.backend.prepare(folder + "/m.onnx").run([X[0, 0]])[0], X[0, 0])


if __name__ == "__main__":
    unittest.main()
