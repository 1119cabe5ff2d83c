# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark: what is compared with what, and by which factor opref must and aims to stay below."""
import compute_rows
import environment
import operator_works
import process_rows
import works


def all_rows():
    """Name (for --rows) and function of every row, in the order of the table."""
    transposed = [("conv", works.CONV, "onnxruntime", 2.2, 1.8), ("conv-k2", works.CONV_K2, "onnxruntime", 2.5, 2.0),
                  ("depthwise", works.DEPTHWISE, "best", 1.3, 0.9), ("conv-3d", works.CONV_3D, "best", 2.5, 2.0)]
    pools = [(f"lp-pool-{p}", works.lp_pool(p), "openvino", 1.5, 0.9) for p in (1, 2, 3)]
    unpool = [("max-unpool", works.MAX_UNPOOL, "onnxruntime", 0.7, 0.5)]
    convolutions = [(f"convolution-{name}", work, "onnxruntime", 2.5, 2.0) for name, work in works.CONVOLUTIONS.items()]
    products = [("mat-mul", works.MAT_MUL, "onnxruntime", 2.5, 2.0)]
    rows = []
    for name, work, target, must, aim in transposed + convolutions + products + pools + unpool:
        rows.append((f"compute/{name}", lambda s, w=work, t=target, m=must, a=aim: compute_rows.against_peers(s, w, t, m, a)))
    for name, work, *_ in transposed:
        for short, dtype in (("f16", "float16"), ("bf16", "bfloat16")):
            rows.append((f"types/{name}-{short}", lambda s, w=work, d=dtype: compute_rows.against_own(s, w, d, 1.5, 1.2)))
    rows.append(("types/conv-f64", lambda s: compute_rows.against_own(s, works.CONV, "float64", 15, 10)))
    for name, work, *_ in transposed + pools + unpool:
        bound = (1 / 1.2, None) if name in ("lp-pool-1", "max-unpool") else (1 / 1.6, 1 / 1.9)
        rows.append((f"threads/{name}", lambda s, w=work, b=bound: compute_rows.two_threads(s, w, *b)))
        rows.append((f"threads/{name}-peers", lambda s, w=work: compute_rows.against_peers(s, w, None, None, None, threads=2)))
    rows += operator_rows()
    rows += [("process/case", process_rows.official_case), ("process/npy", process_rows.npy_to_npy), ("process/start", process_rows.start)]
    for threads in (1, 2):
        rows.append((f"check/seeds-{threads}", lambda s, t=threads: process_rows.check_seeds(s, t)))
        for name, folder in (("2026", environment.official_cases()), ("debian", "/usr/share/libonnx-testdata/data")):
            rows.append((f"check/{name}-{threads}", lambda s, f=folder, t=threads: process_rows.check_folder(s, f, t)))
    for threads in (1, 2):
        rows.append((f"golden/cases-{threads}", lambda s, t=threads: process_rows.golden(s, t)))
    for command in ("check", "golden"):
        rows.append((f"farm/{command}-2", lambda s, c=command: process_rows.two_workers(s, c)))
    rows += [("farm/rate", process_rows.check_rate), ("farm/memory", process_rows.memory_of_check)]
    for name, work, *_ in transposed + pools + unpool:
        rows.append((f"reference/{name}", lambda s, w=work: compute_rows.against_reference(s, w)))
    rows.append(("growth", compute_rows.growth))
    for threads in (1, 2):
        for name, work in (("conv", works.CONV), ("lp-pool-3", works.lp_pool(3)), ("max-unpool", works.MAX_UNPOOL),
                           ("conv-1e9", works.growing(9))):
            rows.append((f"memory/{name}-{threads}", lambda s, w=work, t=threads: process_rows.memory(s, w, t)))
    rows.append(("memory/1gib-run", lambda s: process_rows.memory(s, works.GIB, 1)))
    rows.append(("memory/1gib-diff", process_rows.memory_of_diff))
    return rows


# Recurrences of batch 1 and selections in order have no independent parts.
ONE_THREAD = ("LSTM", "GRU", "RNN", "TopK", "NonMaxSuppression")
# Other types' factors of float32's time; of float64 a number is enough where it stays below 60 ns an element.
TYPES = (("float16", 2, None), ("bfloat16", 1.5, None), ("float64", 15, None))
TYPED = ("Exp Log Sin Cos Tan Tanh Sinh Cosh Sigmoid Erf Gelu Elu Selu Softplus Mish Atan Asinh Acosh Acos Asin Atanh Pow "
         "Relu Sqrt HardSwish Softmax LayerNormalization").split()
LONG_IN_FLOAT64 = ("Erf", "Gelu", "Pow")


def operator_rows():
    rows = []
    for work in operator_works.ALL:
        name = work.name.replace(",", "").replace(" ", "-")
        rows.append((f"operator/{name}", lambda s, w=work: compute_rows.against_onnxruntime(s, w)))
    for work in operator_works.ALL:
        name = work.name.replace(",", "").replace(" ", "-")
        if work.op_type in TYPED and "axis" not in name:
            for dtype, must, aim in TYPES:
                must = 30 if dtype == "float64" and work.op_type in LONG_IN_FLOAT64 else must
                rows.append((f"operator-types/{name}-{dtype}",
                             lambda s, w=work, d=dtype, m=must, a=aim: compute_rows.against_own(s, w, d, m, a)))
        if work.op_type not in ONE_THREAD:
            rows.append((f"operator-threads/{name}", lambda s, w=work: compute_rows.two_threads(s, w, 0.65, None, 0.005)))
    return rows
