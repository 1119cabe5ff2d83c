# SPDX-License-Identifier: Apache-2.0
"""The models that no package ships: tools train them from fixed seeds and convert them to ONNX, or onnxruntime's tools
make them of a shipped one. A row of testdata/models.jsonl names the function here that makes it, and the model that it is
made of."""
import logging
import os
import subprocess
import sys
import tempfile
import warnings

import numpy
import onnx

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "runners", "onnxruntime_runner.py")
ROWS, FEATURES = 600, 8
COLOURS = numpy.array(["blue", "green", "red"])


def samples(gaps=False):
    """Normal features, some of them missing, and a number that follows from four of them."""
    rng = numpy.random.default_rng(20260901)
    x = rng.standard_normal((ROWS, FEATURES)).astype(numpy.float32)
    y = x[:, 0] * x[:, 1] + numpy.sin(2 * x[:, 2]) - x[:, 3]
    if gaps:
        x[rng.random(x.shape) < 0.1] = numpy.nan
    return x, y.astype(numpy.float32)


def classes(y):
    """Three classes, of about as many rows each."""
    return numpy.digitize(y, numpy.quantile(y, [1 / 3, 2 / 3]))


def of_features(types):
    return [("X", types.FloatTensorType([None, FEATURES]))]


def with_scikit_learn(estimator, inputs=None):
    """`inputs`: where they are not one X of all features."""
    import skl2onnx
    from skl2onnx.common import data_types

    return skl2onnx.to_onnx(estimator, initial_types=inputs or of_features(data_types))


def logistic_regression():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = samples()
    return with_scikit_learn(make_pipeline(StandardScaler(), LogisticRegression()).fit(x, COLOURS[classes(y)]))


def forest_of_columns():
    """Numbers with gaps beside a column of words."""
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    x, y = samples(gaps=True)
    words = numpy.array(["low", "middle", "high"])[classes(y + numpy.random.default_rng(3).standard_normal(ROWS))]
    numbers = list(range(FEATURES))
    columns = ColumnTransformer([("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
                                 ("word", OneHotEncoder(handle_unknown="ignore"), [FEATURES])])
    model = make_pipeline(columns, RandomForestClassifier(n_estimators=40, max_depth=8, random_state=0))
    model.fit(numpy.column_stack([x.astype(object), words]), COLOURS[classes(y)])
    return with_scikit_learn(model, [("numbers", FloatTensorType([None, FEATURES])), ("word", StringTensorType([None, 1]))])


def support_vectors():
    from sklearn.svm import SVC

    x, y = samples()
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # that probability goes
        return with_scikit_learn(SVC(probability=True, random_state=0).fit(x, classes(y)))


def boosted_regression():
    from sklearn.ensemble import GradientBoostingRegressor

    return with_scikit_learn(GradientBoostingRegressor(n_estimators=60, random_state=0).fit(*samples()))


def lightgbm_classes():
    import lightgbm
    import onnxmltools
    from onnxmltools.convert.common import data_types

    x, y = samples(gaps=True)
    model = lightgbm.LGBMClassifier(n_estimators=40, num_leaves=15, random_state=0, n_jobs=1, verbose=-1)
    return onnxmltools.convert_lightgbm(model.fit(x, COLOURS[classes(y)]), initial_types=of_features(data_types))


def xgboost_pair():
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common import data_types

    x, y = samples(gaps=True)
    model = xgboost.XGBClassifier(n_estimators=40, max_depth=5, random_state=0, n_jobs=1)
    return onnxmltools.convert_xgboost(model.fit(x, (y > 0).astype(int)), initial_types=of_features(data_types))


def optimised(path, _):
    """By onnxruntime, on level extended."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "optimised.onnx")
        subprocess.run([sys.executable, RUNNER, "--optimised", path, "-o", made], check=True)
        return onnx.load(made)


def quantised(path, feeds):
    """To operators of integers, calibrated with `feeds`."""
    from onnxruntime import quantization

    logging.disable(logging.WARNING)  # it advises

    class Reader(quantization.CalibrationDataReader):
        left = [feeds]

        def get_next(self):
            return self.left.pop() if self.left else None

    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "quantised.onnx")
        quantization.quantize_static(path, made, Reader(), quant_format=quantization.QuantFormat.QOperator)
        return onnx.load(made)


def in_four_bits(path, _):
    """Weights of MatMul in 4 bits, in blocks of 32."""
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    logging.disable(logging.WARNING)  # a line for each node
    quantizer = MatMulNBitsQuantizer(onnx.load(path), block_size=32, is_symmetric=False)
    quantizer.process()
    return quantizer.model.model
