"""The examples of the documentation run, and everything public has some."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import numpy as np
import pytest

import clearance

RUNNER = doctest.DocTestParser()


def documented() -> dict[str, str]:
    """The documentation of everything public."""
    found = {"clearance": clearance.__doc__ or ""}
    for name in clearance.__all__:
        value = getattr(clearance, name)
        found[name] = inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for field, member in vars(value).items():
                if not field.startswith("_") and field not in getattr(value, "_fields", ()):
                    found[f"{name}.{field}"] = inspect.getdoc(getattr(value, field, member)) or ""
    return found


DOCUMENTED = documented()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_print_what_they_show(name):
    text = DOCUMENTED[name]
    assert text, f"{name} has no documentation"
    names = {"np": np, **{public: getattr(clearance, public) for public in clearance.__all__}}
    example = RUNNER.get_doctest(text, names, name, None, None)
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert failed == 0


def test_every_function_has_an_example():
    for name in clearance.__all__:
        if inspect.isroutine(getattr(clearance, name)):
            assert ">>>" in DOCUMENTED[name], name


PAGES = ["README.md", "../../README.md", "../../docs/src/python.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_the_pages_runs(page, capsys):
    path = Path(__file__).parent.parent / page
    blocks = path.read_text(encoding="utf-8").split("```python\n")[1:]
    assert blocks, f"{page} has no code"
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block.split("```")[0], page, "exec"), names)
