# SPDX-License-Identifier: Apache-2.0
"""The mark of pytest that runs a test on the cases of an operator and judges what it returns.

    @pytest.mark.opref("Softmax", filter="_f32_")
    def test_softmax(case):
        return my_softmax(**case.inputs)
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest

import opref

_MARK = "opref"
_ARGUMENT = "case"
_OF_CASES = ("filter", "seed", "layout")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "opref(cases, filter=None, seed=None, layout=None, **rule): runs the test on each case that "
                                       "opref.cases gives, as its argument 'case', and judges what it returns by the rule, as "
                                       "opref.check does")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    if _ARGUMENT not in metafunc.fixturenames:
        pytest.fail(f"a test that is marked opref takes the argument {_ARGUMENT!r}", pytrace=False)
    if not mark.args:
        pytest.fail('the mark takes an operator, a recipe or a folder: @pytest.mark.opref("Softmax")', pytrace=False)
    try:
        cases = opref.cases(*mark.args, **{name: value for name, value in mark.kwargs.items() if name in _OF_CASES})
    except (opref.Error, TypeError, FileNotFoundError) as problem:
        pytest.fail(f"opref.cases: {problem}", pytrace=False)
    metafunc.parametrize(_ARGUMENT, cases, ids=[case.id for case in cases])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    """Calls a marked test and judges what it returns; None is for a test that judges by itself."""
    mark = pyfuncitem.get_closest_marker(_MARK)
    if mark is None:
        return None
    arguments: Dict[str, Any] = pyfuncitem.funcargs
    names: List[str] = list(pyfuncitem._fixtureinfo.argnames)
    outputs = pyfuncitem.obj(**{name: arguments[name] for name in names})
    if outputs is not None:
        rule = {name: value for name, value in mark.kwargs.items() if name not in _OF_CASES}
        report = arguments[_ARGUMENT].judge(outputs, **rule)
        if not report:
            pytest.fail(report.text, pytrace=False)
    return True
