# SPDX-License-Identifier: Apache-2.0
"""How an operator's file and function are called."""
import re

# Where the rule would cut a word, or not cut two.
EXCEPTIONS = {"IsNaN": "is_nan", "PRelu": "prelu", "Col2Im": "col2im"}
CPP_WORDS = {"and", "if", "not", "or", "xor"}


def file_name(op_type):
    """QLinearConv: q_linear_conv; RMSNormalization: rms_normalization."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", op_type)
    return EXCEPTIONS.get(op_type, words.lower())


def function_name(op_type):
    name = file_name(op_type)
    return name + "_" if name in CPP_WORDS else name
