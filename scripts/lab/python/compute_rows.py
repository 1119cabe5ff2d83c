# SPDX-License-Identifier: Apache-2.0
"""Rows of compute time in process: what `opref run --stats --repeat` prints, against a peer's run call. Both are warm: the first
evaluation of a process does not count, and the others follow one another. (Not so onnx.reference, which takes seconds for its only
one, nor the rows of growth, which are opref's first.)"""
import os
from statistics import median

import numpy

import works
from line import Line, line, require_threads
from measure import Evaluations, Failed, Peer, interleaved, torch_version


def against_peers(settings, work, target, must, aim, threads=1):
    """Lines of `work` in float32 against every peer that can do it. `target` is the peer that must and aim speak of."""
    require_threads(settings, threads)
    folder = work.write(os.path.join(settings.folder, "work"))
    ours = Evaluations(settings.opref, folder, threads)
    warm, lines = warm_peers(folder, threads)
    try:
        sources = {"opref": ours.seconds}
        sources.update({backend: peer.seconds for backend, peer in warm.items()})
        times = interleaved(sources, settings.runs, settings.cap)
    finally:
        for peer in warm.values():
            peer.close()
    best = min(warm, key=lambda backend: median(times[backend]), default=None)
    target = best if target == "best" else target
    for backend in warm:
        limits = (must, aim) if backend == target else (None, None)
        name = f"{backend}*" if backend == best else backend
        lines.append(line(work.title, str(threads), times, "opref", backend, name, *limits, first=ours.firsts))
    return lines


def against_onnxruntime(settings, work):
    """A line of `work` against onnxruntime alone; where that lacks the operator a sentence with opref's time."""
    folder = work.write(os.path.join(settings.folder, "work"))
    ours = Evaluations(settings.opref, folder, 1)
    try:
        peer = Peer("onnxruntime", folder, 1)
    except Failed as problem:
        return [f"{work.title}: {1e3 * ours.seconds():.2f} ms; {problem}"]
    try:
        peer.save()
        require_mostly_equal(folder)
        times = interleaved({"opref": ours.seconds, "onnxruntime": peer.seconds}, settings.runs, settings.cap)
    finally:
        peer.close()
    row = line(work.title, "1", times, "opref", "onnxruntime", "onnxruntime", work.must, work.aim, first=ours.firsts)
    slow = [f"{work.title} takes {row.ratio:.0f} times onnxruntime's time: {settings.opref.tiers(folder)}"] if row.ratio > 20 else []
    return [row, *slow]


def require_mostly_equal(folder):
    """A runtime may round a few elements to another whole number."""
    ours, theirs = (numpy.load(os.path.join(folder, file)) for file in ("Y.npy", "peer.npy"))
    if ours.dtype.kind in "US":
        equal = ours == theirs.astype(ours.dtype)
    else:
        equal = numpy.isclose(ours.astype("float64"), theirs.astype("float64"), rtol=1e-3, atol=1e-3, equal_nan=True)
    if ours.shape != theirs.shape or not equal.mean() >= 0.99:
        raise Failed("onnxruntime computes something else than opref, so it is not timed")


def warm_peers(folder, threads):
    """The peers that compute what opref wrote into the folder, by name; and what is wrong with the others."""
    warm, problems = {}, []
    for backend in ["onnxruntime", "openvino"] + (["torch"] if torch_version() else []):
        try:
            peer = Peer(backend, folder, threads)
        except Failed as problem:
            problems.append(str(problem))
            continue
        try:
            peer.save()
            require_agreement(folder, backend)
            warm[backend] = peer
        except Failed as problem:
            problems.append(str(problem))
            peer.close()
    return warm, problems


def require_agreement(folder, backend):
    ours, theirs = (numpy.load(os.path.join(folder, file)) for file in ("Y.npy", "peer.npy"))
    if ours.shape != theirs.shape or not numpy.allclose(ours, theirs, rtol=1e-3, atol=1e-3):
        raise Failed(f"{backend} computes something else than opref, so it is not timed")


def against_reference(settings, work):
    folder = work.write(os.path.join(settings.folder, "work"))
    peer = Peer("onnx_reference", folder, 1)
    try:
        ours = Evaluations(settings.opref, folder, 1)
        times = [ours.seconds() for _ in range(3)]
        theirs = peer.save()
        require_agreement(folder, "onnx.reference")
    finally:
        peer.close()
    return [Line(work.title, "1", 1e3 * median(times), 1e3 * theirs, "onnx.reference", median(times) / theirs, 1 / 100,
                 first=1e3 * median(ours.firsts))]


def against_own(settings, work, dtype, must, aim):
    """`work` in another type, of opref's own float32."""
    sources, title = {}, f"{work.title} in {dtype}"
    for kind in ("float32", dtype):
        folder = work.of(kind).write(os.path.join(settings.folder, kind))
        sources[kind] = Evaluations(settings.opref, folder, 1)
    times = interleaved({kind: ours.seconds for kind, ours in sources.items()}, settings.runs, settings.cap)
    return [line(title, "1", times, dtype, "float32", "float32", must, aim, first=sources[dtype].firsts)]


def two_threads(settings, work, must, aim, least=0.0):
    """Not where one thread takes less than `least` seconds."""
    require_threads(settings, 2)
    folder = work.write(os.path.join(settings.folder, "work"))
    sources = {threads: Evaluations(settings.opref, folder, threads) for threads in (1, 2)}
    if sources[1].seconds() < least:
        return []
    times = interleaved({threads: ours.seconds for threads, ours in sources.items()}, settings.runs, settings.cap)
    return [line(work.title, "2", times, 2, 1, "1 thread", must, aim, first=sources[2].firsts)]


def growth(settings):
    """Time per term as the work grows; the worst one of the least one before it."""
    lines, least = [], None
    for exponent in range(5, 8 if settings.short else 11):
        work = works.growing(exponent)
        folder = work.write(os.path.join(settings.folder, "growth"))
        seconds = median([settings.opref.compute(folder, 1)[0] for _ in range(5 if exponent < 8 else 1)])
        per_term = 1e9 * seconds / work.terms()
        if least is not None:
            lines.append(Line(f"time per term of {work.terms():.1e}, of the least with fewer", "1", per_term, least,
                              "fewer terms", per_term / least, 1.5, unit="ns", row=f"/1e{exponent}"))
        least = per_term if least is None else min(least, per_term)
        if seconds * 10 > settings.cap * 2:
            lines.append(f"stopped after {work.terms():.1e} terms, where one run took {seconds:.1f} s")
            break
    return lines
