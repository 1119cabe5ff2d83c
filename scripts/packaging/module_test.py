# SPDX-License-Identifier: Apache-2.0
"""The module opref as it is installed: arrays of all kinds in and out, nodes as text and messages, refusals."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import ml_dtypes
import numpy
import onnx
import onnx.parser
from onnx import helper

import opref
import opref.backend

POOL = "Y = LpPool <kernel_shape = [2], p = 1> (X)"
X = numpy.float32([[[1, 2, 3]]])


GRAPH = """<ir_version: 10, opset_import: ["": 21]> g (float[1,1,N] x, float[1] w) => (float[1,1,M] y) {
    c = Relu (x)  pooled = MaxPool <kernel_shape = [2]> (c)  y = Mul (pooled, w) }"""
# What only the command line has: options, placeholders of files, and the folder of this module's own files.
FOREIGN = re.compile(r"(?<!\w)--[a-z]|\bFILE\b|command line|opref-\w+/")


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
        with self.assertRaisesRegex(TypeError, "has place 3, but the inputs are A, B; attributes are keywords"):
            opref.run("Sub", X, X, X)

    def test_tensors_by_place_to_nodes_of_all_kinds(self):
        self.assertEqual(opref.run("Clip", X, None, numpy.float32(2)).tolist(), [[[1, 2, 2]]])
        numpy.testing.assert_array_equal(opref.run("Y = Sub (B, A)", 3 * X, X), 2 * X)
        numpy.testing.assert_array_equal(opref.run(GRAPH, X, numpy.float32([2])), [[[4, 6]]])
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            onnx.save(onnx.parser.parse_model(GRAPH), "m.onnx")
            for path in ("m.onnx", pathlib.Path("m.onnx")):
                numpy.testing.assert_array_equal(opref.run(path, X, numpy.float32([2])), [[[4, 6]]])
            half = numpy.array([1, 2], ml_dtypes.bfloat16)
            self.assertEqual(opref.run("Y = Identity (X)", half).dtype, half.dtype)
            self.assertEqual(opref.infer("m.onnx", "float32[1,1,4]", numpy.float32([1]))["y"], ("float32", (1, 1, 3)))

    def test_a_relative_path_is_one_of_the_folder_that_is_now_the_current_one(self):
        for factor in (1, 2):
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                onnx.save(onnx.parser.parse_model(GRAPH), "m.onnx")
                self.assertEqual(opref.run("m.onnx", x=X, w=numpy.float32([factor])).tolist(), [[[2 * factor, 3 * factor]]])

    def test_parts_of_a_model(self):
        numpy.testing.assert_array_equal(opref.run(GRAPH, c=X, nodes="pooled"), [[[2, 3]]])
        numpy.testing.assert_array_equal(opref.run(GRAPH, X, numpy.float32([2]), outputs="pooled"), [[[2, 3]]])
        y, c = opref.run(GRAPH, -X, numpy.float32([2]), outputs=["y", "c"])
        self.assertEqual((y.tolist(), c.tolist()), ([[[0, 0]]], [[[0, 0, 0]]]))
        sequence = "<ir_version: 8, opset_import: [\"\": 17]> g (float[N] a) => (int64 n) " \
                   "{ s = SequenceConstruct (a, a) n = SequenceLength (s) }"
        self.assertEqual([element.tolist() for element in opref.run(sequence, X[0, 0], outputs="s")], [[1, 2, 3], [1, 2, 3]])

    def test_data_types_are_those_of_numpy(self):
        for to, made in ((numpy.float16, numpy.float16), (float, numpy.float64), (bool, numpy.bool_), (int, numpy.int64),
                         (numpy.dtype("int8"), numpy.int8), (ml_dtypes.bfloat16, ml_dtypes.bfloat16), (1, numpy.float32)):
            self.assertEqual(opref.run("Cast", X, to=to).dtype, numpy.dtype(made))
        self.assertEqual(opref.run("Cast", numpy.int64([7]), to=str).tolist(), ["7"])
        with self.assertRaisesRegex(opref.Error, "'float16' is not an integer"):
            opref.run("Softmax", X, axis=numpy.float16)

    def test_a_number_of_python_takes_the_type_of_the_node(self):
        x = numpy.float32([1, 2])
        scaled = GRAPH.replace("float[1] w", "float w")
        for number in (1, 1.0):
            self.assertEqual(opref.run("Add", x, number).dtype, numpy.float32)
            self.assertEqual(opref.run("Add", numpy.int8([1, 2]), B=number).dtype, numpy.int8)
            self.assertEqual(opref.run(scaled, X, number).dtype, numpy.float32)
        half = numpy.array([1, 2], ml_dtypes.bfloat16)
        self.assertEqual(opref.run("Add", A=half, B=1).dtype, half.dtype)
        self.assertEqual(opref.run("Add", A=-1.5, B=half).tolist(), [-0.5, 0.5])
        self.assertEqual(opref.run("Clip", x, 1.5, float("inf")).tolist(), [1.5, 2])
        self.assertTrue(numpy.isnan(opref.run("Add", x, float("nan"))).all())
        self.assertEqual(opref.run("Where", True, x, 3).tolist(), [1, 2])
        self.assertEqual(opref.run("Gather", x, 1), 2)
        self.assertTrue(opref.judge("Add", x, 1, outputs=x + 1))
        self.assertEqual(opref.explain("Add", x, 1, at=0).value, "2")
        self.assertEqual(opref.infer("Add", "float32[2]", 1), {"C": ("float32", (2,))})
        # Where the node leaves it open, numpy's.
        self.assertEqual(opref.run("Range", 0, 3, 1).dtype, numpy.int64)
        self.assertEqual(opref.run("Relu", 1.5).dtype, numpy.float64)
        with self.assertRaisesRegex(opref.Error, "B has type float64, but A has type float32"):
            opref.run("Add", x, numpy.float64(1))

    def test_unknown_names_are_told_with_what_there_is(self):
        for call, said in ((lambda: opref.run("Conv", x=[[1.0]], w=[[1.0]]),
                            "^'x' and 'w' are neither inputs nor attributes of Conv-22, did you mean 'X' and 'W'"),
                           (lambda: opref.run("Softmax", X=[1.0]),
                            "^'X' is neither an input nor an attribute of Softmax-13; the input is input and the attribute is axis$"),
                           (lambda: opref.run("Softmax", X=X), "^'X' is neither an input nor"),
                           (lambda: opref.run("LpPool", X, kernel_size=[1]), "did you mean 'kernel_shape'"),
                           (lambda: opref.run("Relu", X, consumed_inputs=[1]), "version 1 was the last that had it"),
                           (lambda: opref.run(GRAPH, X=X), "'X' is not an input here .* did you mean 'x'")):
            with self.assertRaisesRegex(opref.Error, said):
                call()

    def test_options_of_the_command_line_are_refused(self):
        with self.assertRaisesRegex(TypeError, "opset=18"):
            opref.run("LpPool", "--opset", "18", X=X)

    def test_readings_are_chosen_and_told(self):
        x = numpy.float32([[[numpy.nan, 2, 3]]])
        with self.assertWarnsRegex(UserWarning, r'leaves NaN elements out\n  choose with readings={"lp_pool.nan": …}'):
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

    def test_maps(self):
        maps = opref.run("ai.onnx.ml.ZipMap", numpy.float32([[1, numpy.nan], [3, 4]]), classlabels_strings=["b", "a"])
        self.assertEqual([list(each) for each in maps], [["a", "b"], ["a", "b"]])
        self.assertEqual(maps[1], {"a": 4, "b": 3})
        self.assertIsInstance(maps[1]["a"], numpy.float32)
        self.assertTrue(numpy.isnan(maps[0]["a"]))
        self.assertEqual(opref.run("ai.onnx.ml.ZipMap", numpy.float32([1]), classlabels_int64s=[-7]), [{-7: 1}])
        self.assertEqual(opref.run("ai.onnx.ml.DictVectorizer", {"a": 4, "c": 8}, string_vocabulary=["a", "c", "b"]).tolist(), [4, 8, 0])
        self.assertEqual(opref.run("ai.onnx.ml.DictVectorizer", X={2: 0.5}, int64_vocabulary=[2]).dtype, numpy.float64)
        self.assertEqual(opref.run("ai.onnx.ml.DictVectorizer", X={2: "x"}, int64_vocabulary=[1, 2]).tolist(), ["", "x"])
        self.assertEqual(opref.run("ai.onnx.ml.CastMap", X={2: 0.5}, cast_to="TO_STRING").tolist(), [["0.500000"]])
        self.assertTrue(opref.compare([{"a": 1, "b": 2}], [{"b": 2, "a": 1}]))
        self.assertFalse(opref.compare({"a": 1.0}, {"a": 2.0}))
        self.assertEqual(opref.infer("ai.onnx.ml.ZipMap", X="float32[2,1]", classlabels_strings=["a"]),
                         {"Z": opref.TensorType("seq(map(string,float))", None)})
        self.assertEqual(opref.infer("ai.onnx.ml.DictVectorizer", X="map(int64,float)", int64_vocabulary=[1]),
                         {"Y": opref.TensorType("float32", (1,))})
        self.assertTrue(opref.judge("ai.onnx.ml.ZipMap", numpy.float32([1]), classlabels_int64s=[-7], outputs=[{-7: 1.0}]))
        for wrong in ({"a": X}, {"a": 1, 2: 3}, {1.5: 2}):
            with self.assertRaises(TypeError):
                opref.run("ai.onnx.ml.DictVectorizer", X=wrong, string_vocabulary=["a"])

    def test_strings_sequences_and_variadic_inputs(self):
        self.assertEqual(opref.run("Y = Identity (X)", X=numpy.array(["a", "bc"], object)).tolist(), ["a", "bc"])
        sequence = opref.run("S = SequenceConstruct (X, X2)", X=X, X2=2 * X)
        self.assertEqual(len(sequence), 2)
        numpy.testing.assert_array_equal(opref.run("Y = SequenceAt (S, I)", S=sequence, I=numpy.int64(1)), 2 * X)
        joined = opref.run("Concat", axis=0, inputs=(X, 2 * X))
        numpy.testing.assert_array_equal(joined, numpy.concatenate([X, 2 * X]))
        for given in ([X, 2 * X], (X, 2 * X)):
            numpy.testing.assert_array_equal(opref.run("Concat", given, axis=0), joined)
            numpy.testing.assert_array_equal(opref.run("Concat", inputs=given, axis=0), joined)
        self.assertEqual(len(opref.run("SequenceConstruct", [X, X, X])), 3)
        self.assertEqual(opref.run("SequenceLength", [X, X, X]), 3)
        self.assertEqual(opref.run("Sum", (1.0, 2.0)), 3)
        self.assertEqual(opref.run("Relu", (1.0, -2.0)).tolist(), [1, 0])

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

    def test_a_misspelt_node_is_told_with_the_nearest(self):
        for node, said in (("softmax", "did you mean 'Softmax'"), ("MaxPol", "did you mean 'MaxPool'"),
                           ("nosuch.onnx", "no such file: nosuch.onnx"), ("Y = LpPol (X)", "did you mean 'LpPool'")):
            with self.assertRaisesRegex(opref.Error, said):
                opref.run(node, X)

    def test_keywords_of_a_wrong_type_are_told(self):
        for given, said in (({"opset": "18"}, "opset='18': it must be an int"), ({"opset": 18.0}, "opset=18.0: "),
                            ({"max_bytes": "1k"}, "max_bytes='1k': "), ({"threads": 1.5}, "threads=1.5: "),
                            ({"readings": "lp_pool.nan=skip"}, "it must be a dict"),
                            ({"reading": {"lp_pool.nan": "skip"}}, "did you mean readings="),
                            ({"output": "Y"}, "did you mean outputs="),
                            ({"attrs": {"p": 1}}, "attributes are keywords: give p=1 in place of attrs"),
                            ({"inputs": {"X": X}}, r"\*\*inputs"), ({"rtol": 1}, "judge and compare take rtol"),
                            ({"tolerance": 1}, "judge and compare take rtol, atol, ulp"), ({"at": 0}, "explain takes at"),
                            ({"node": "p"}, r'outputs=\["p"\] gives that tensor')):
            with self.assertRaisesRegex(TypeError, said):
                opref.run("LpPool", X, kernel_shape=[2], **given)
        for call, said in ((lambda: opref.compare(X, X, rtol="1e-3"), "rtol='1e-3': it must be a float"),
                           (lambda: opref.compare(X, X, ulp=1.5), "ulp=1.5: it must be an int"),
                           (lambda: opref.explain("Relu", X, at=1.5), "at=1.5: it must be"),
                           (lambda: opref.explain("Relu", X, at=None), "explain needs the element"),
                           (lambda: opref.infer("Relu", X=(1, 2)), r'a type is written "float32\[1,2\]"'),
                           (lambda: opref.infer("Relu", X="1x2"), r"'1x2' is no type"),
                           (lambda: opref.run(numpy.add, X, X), "a node is an operator's name, .* type ufunc"),
                           (lambda: opref.run("LpPool", "x.npy", kernel_shape=[2]), "numpy.load reads it"),
                           (lambda: opref.compare("x.npy", X), "numpy.load reads it"),
                           (lambda: opref.compare({"a": X}, {"b": X}), "takes tensors or lists, not a dict"),
                           (lambda: opref.compare("Relu", X), "'Relu' is no tensor: .* judge an operator"),
                           (lambda: opref.compare(X, None), "None is no tensor"),
                           (lambda: opref.compare(X, X, tolerance=1), "did you mean rtol or atol or ulp"),
                           (lambda: opref.ops(domain="openvino"), "there is operator$"),
                           (lambda: opref.run(GRAPH, X, node="p"), r'outputs=\["p"\] gives that tensor'),
                           (lambda: opref.run(GRAPH, X, rtol=1), "judge and compare take rtol"),
                           (lambda: opref.run("Softmax", input="[1,2]:float32"), "for the command line: give a list or an array"),
                           (lambda: opref.run("Add", X, "2:float32"), "for the command line"),
                           (lambda: opref.run("Relu", "float32[1,3]"), "is a type, which opref.infer takes"),
                           (lambda: opref.run("Relu", numpy.float32), "is a type, no tensor"),
                           (lambda: opref.infer("Conv", X=numpy.float32), r'a type is written "float32\[1,3\]"'),
                           (lambda: opref.run("Relu", {"X": X}), r"\*\*inputs"),
                           (lambda: opref.ops(3), "3 is no operator's name"),
                           (lambda: opref.judge("Relu", X, outputs={}), "no output to judge")):
            with self.assertRaisesRegex(TypeError, said):
                call()
        self.assertTrue(opref.compare(X, X + 1, rtol=numpy.float32(1), ulp=None))
        self.assertTrue(opref.compare(X, X, ulp=numpy.int32(1)))
        numpy.testing.assert_array_equal(opref.run("LpPool", X, kernel_shape=[2], p=1, opset=numpy.int64(18)), [[[3, 5]]])

    def test_messages_are_of_python(self):
        text = "Y = LpPool <kernel_shape = [2, 2], p = 1> (X)"
        for call, said in ((lambda: opref.run("LpPool", X, kernel_shape=[2], threads=0), "threads=0: it is a whole number"),
                           (lambda: opref.run("LpPool", X, kernel_shape=[2], opset=0), "opset=0: it is a whole number"),
                           (lambda: opref.explain("Relu", X, at="Y(0,0,0)"), r"at=Y\(0,0,0\): it is"),
                           (lambda: opref.explain("TopK", X, numpy.int64([1]), at=(0, 0, 0)), "at=… needs the name"),
                           (lambda: opref.explain("Relu", X, at=(0, 0, 0), against=[0.5, 1]), "^against has type float64"),
                           (lambda: opref.explain("Relu", X, at=""), r"^at=… is missing: .* write at='Y\[0,0,0\]' for"),
                           (lambda: opref.compare(X, X, ulp=1, rtol=1.0), "choose one of exact=True, ulp=…, rtol=…/atol=…"),
                           (lambda: opref.judge("Relu", X, outputs=X, bound="accumulator=float1"), "in bound=accumulator="),
                           (lambda: opref.run(GRAPH, w=X[0, 0, :1]), 'give x=…, or x="float32'),
                           (lambda: opref.run("Sub"), "give A=…, B=…$"),
                           (lambda: opref.infer("Sub"), "give A=…, B=…, an array or a type"),
                           (lambda: opref.run("MaxPool", X, kernel_shape=[2], nodes=["x"]), "an output 'x'$"),
                           (lambda: opref.run("Softmax", X, kernel_shape=[1]), "the attribute is axis$"),
                           (lambda: opref.run("ReduceSum", X, axes=1), r"a list of one is written axes=\[1\]"),
                           (lambda: opref.run(helper.make_node("LpPool", ["X"], ["Y"], kernel_shape=[2]), X=X, p=2),
                            "in the node itself: p$"),
                           (lambda: opref.run("Identity", numpy.frombuffer(b"12", "V1")), "view.ml_dtypes"),
                           (lambda: opref.run("Identity", numpy.longdouble([1])), "in input 'input'$"),
                           (lambda: opref.run("SequenceLength", [X, numpy.longdouble([1])]), "in input 'input_sequence'$"),
                           (lambda: opref.run(text, X), "kernel_shape")):
            with self.subTest(said):
                with self.assertRaisesRegex(opref.Error, "(?m)" + said) as raised:
                    call()
                self.assertNotRegex(str(raised.exception), FOREIGN)

    def test_a_long_path_of_a_temporary_folder_is_not_told(self):
        with tempfile.TemporaryDirectory() as folder:
            long = os.path.join(folder, "a" * 100)
            os.mkdir(long)
            with mock.patch("tempfile.tempdir", long), self.assertRaisesRegex(opref.Error, "^against has type float64"):
                opref.explain("Relu", X, at=(0, 0, 0), against=[0.5, 1])

    def test_objects_are_no_tensor(self):
        with self.assertRaisesRegex(TypeError, "objects"):
            opref.run("Identity", input=numpy.array([None, b"b"]))


class OtherCommandsTest(unittest.TestCase):
    def test_of_a_model_only_what_is_asked_for_is_evaluated(self):
        model = '<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (y, z) { y = Foo (x)  a = Neg (x)  z = Neg (a) }'
        x = numpy.float32([1, -2])
        self.assertEqual(opref.run(model, x, outputs="a").tolist(), [-1, 2])
        self.assertEqual(opref.run(model, x, outputs=["z"]).tolist(), [1, -2])

    def test_outputs_that_work_only_together(self):
        x, v = numpy.ones((1, 1, 2), numpy.float32), numpy.ones(1, numpy.float32)
        self.assertEqual(opref.run("BatchNormalization", x, v, v, v, v, training_mode=1, outputs="Y").shape, (1, 1, 2))
        self.assertEqual(opref.run("TopK", [[1.0, 2.0]], [1], outputs=["Indices", "Indices"])[1].tolist(), [[1]])
        with self.assertRaisesRegex(opref.Error, "'X' is an input"):
            opref.run("TopK", [[1.0, 2.0]], [1], outputs=["X"])

    def test_what_is_no_tensor_is_named(self):
        masked = numpy.ma.masked_array([1.0, 2.0], mask=[1, 0])
        for value, words in ((masked, "a masked array is no tensor"), ([[1], [2, 3]], "it is no tensor"),
                             ([1.0, None], "an array of objects")):
            with self.assertRaisesRegex(TypeError, "the tensor A: " + words):
                opref.run("Add", A=value, B=[1.0])

    def test_judge_names_the_cause(self):
        x = numpy.float32([[[256, 1, 1]]])
        judged = opref.judge("LpPool", X=x, kernel_shape=[3], p=1, outputs={"Y": numpy.float32([[[256]]])})
        self.assertFalse(judged)
        self.assertIn("bfloat16 accumulation", judged.text)
        self.assertTrue(opref.judge("LpPool", X=x, kernel_shape=[3], p=1, outputs=numpy.float32([[[258]]]), exact=True))

    def test_outputs_are_judged_by_their_places(self):
        y, indices = numpy.float32([[[2, 3]]]), numpy.int64([[[1, 2]]])
        for outputs in (y, (y,), [y], (y, indices), {"Indices": indices}, (None, indices)):
            self.assertTrue(opref.judge("MaxPool", X, kernel_shape=[2], outputs=outputs))
        self.assertFalse(opref.judge("MaxPool", X, kernel_shape=[2], outputs=(y, y)))
        self.assertFalse(opref.judge("MaxPool", X, kernel_shape=[2], outputs=(None, indices + 1)))
        self.assertTrue(opref.judge("SequenceConstruct", X, X, outputs=[X, X]))
        self.assertTrue(opref.judge(GRAPH, X, numpy.float32([1]), outputs=y))

    def test_too_many_outputs(self):
        for call, said in ((lambda: opref.judge("Softmax", X, outputs=[X, X]),
                            r"^outputs has 2 tensors, but Softmax-13 has 1 output \('output'\)$"),
                           (lambda: opref.judge("MaxPool", X, kernel_shape=[1], outputs=(X, X, X)),
                            r"^outputs has 3 tensors, but MaxPool-22 has 2 outputs \('Y', 'Indices'\)$"),
                           (lambda: opref.judge(GRAPH, X, numpy.float32([2]), outputs=(X, X)),
                            r"2 tensors, but the model has 1 output \('y'\)$")):
            with self.assertRaisesRegex(opref.Error, said):
                call()

    def test_what_only_the_command_line_has(self):
        for name in ("extract", "report"):
            with self.assertRaisesRegex(AttributeError, f"only on the command line: opref {name} …"):
                getattr(opref, name)
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            opref.nothing
        code = "import opref; opref.backend.prepare"
        subprocess.run([sys.executable, "-c", code], check=True)

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
        for at in (numpy.argwhere(X == 2)[0], (0, 0, numpy.int64(1)), [0, 0, -2], numpy.unravel_index(1, X.shape)):
            self.assertEqual(opref.explain("Relu", X, at=at).document["at"], [0, 0, 1])
        for against in (2.5, numpy.float32(2.5), numpy.array(2.5), ml_dtypes.bfloat16(2.5), X + 0.5):
            told = opref.explain("Relu", X, at=(0, 0, 1), against=against)
            self.assertEqual(told.document["against"]["value"], "2.5")
        self.assertEqual(opref.explain("Relu", X, at=(0, 0, 1), against=-2).document["against"]["value"], "-2")
        self.assertTrue(opref.explain("Relu", numpy.int64([3]), at=0, against=3).document["against"]["equal"])

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


class BackendTest(unittest.TestCase):
    def test_inputs_with_initializers_keep_or_replace_them(self):
        model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[2] w, float[2] x) => (float[2] Y) '
                                   '<float[2] w = {1,2}> { Y = Add (x, w) }')
        prepared = opref.backend.prepare(model)
        one = numpy.ones(2, numpy.float32)
        for inputs in (one, [one], {"x": one}):
            numpy.testing.assert_array_equal(prepared.run(inputs).Y, [2, 3])
        for inputs in ([5 * one, one], {"x": one, "w": 5 * one}):
            numpy.testing.assert_array_equal(prepared.run(inputs).Y, [6, 6])

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

    def test_maps_go_in_and_out(self):
        model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 1]>
            g (map(string, float) M, float[N] X) => (float[2] Y, seq(map(int64, float)) Z) {
              Y = ai.onnx.ml.DictVectorizer <string_vocabulary = ["b", "a"]> (M)
              Z = ai.onnx.ml.ZipMap <classlabels_int64s = [3, -1]> (X)
            }""")
        made = opref.backend.prepare(model).run([{"a": 1.5, "b": 2}, numpy.float32([0.25, 0.75])])
        self.assertEqual(made.Y.tolist(), [2, 1.5])
        self.assertEqual(made.Z, [{-1: 0.75, 3: 0.25}])

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
