"""Checks of whole scenes, evidence for answers, and the check of evidence: the commands of the program `clearance`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

from clearance._native import Shape, check_json, evidence_line, verify_json

PathLike = Union[str, "os.PathLike[str]"]


def _options(**settings: Any) -> list[str]:
    """Options of the program: None and False are left out, lists are repeated."""
    words: list[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        for item in value if isinstance(value, list) else [value]:
            # One word, so that a negative number is not taken for another option.
            words.append(flag if item is True else f"{flag}={item}")
    return words


def _paths(value: PathLike | Iterable[PathLike], name: str) -> list[str]:
    """One path, or several."""
    items = [value] if isinstance(value, (str, os.PathLike)) else list(value)
    for item in items:
        if not isinstance(item, (str, os.PathLike)):
            raise TypeError(f"{name} has a {type(item).__name__}, but must be paths")
    texts: list[str] = [os.fspath(item) for item in items]
    # A path that looks like an option is a path all the same.
    return [os.path.join(".", text) if text.startswith("-") else text for text in texts]


def check(
    scene: PathLike | Mapping[str, Any] | Iterable[PathLike],
    *,
    margin: float | None = None,
    until: float | None = None,
    limit: int | None = None,
    nodes: int | None = None,
    fail_within: float | None = None,
    rules: Iterable[str] = (),
    baseline: PathLike | None = None,
    review: PathLike | None = None,
    cluster: str | None = None,
    bcf: PathLike | None = None,
    hull: bool = False,
    scale: float | None = None,
    unit: str | None = None,
    surfaces: bool = False,
    fill_holes: bool = False,
    allow: PathLike | Iterable[PathLike] = (),
    explain: bool = False,
    report: PathLike | None = None,
    proof: PathLike | None = None,
) -> dict[str, Any]:
    """Checks every pair of bodies of a scene: the findings of ``clearance check --json``, as a dictionary.

    A scene is a file of the format ``clearance-scene/1``, a mesh file, a folder of these, several of them, or the scene itself as a dictionary. The
    keywords are the options of the program; ``clearance check --help`` explains them. Mesh files that a dictionary names need their whole path, below a
    folder that ``allow`` names.

    >>> from clearance import check
    >>> scene = {"format": "clearance-scene/1", "bodies": [
    ...     {"name": "ball", "shape": {"sphere": {"radius": 1}}},
    ...     {"name": "floor", "shape": {"half_space": {"normal": [0, 1, 0], "offset": -0.5}}}]}
    >>> found = check(scene)
    >>> found["overlaps"], found["pairs"][0]["a"], round(found["pairs"][0]["distance"], 12)
    (1, 'ball', -0.5)
    """
    options = _options(
        margin=margin,
        until=until,
        limit=limit,
        nodes=nodes,
        fail_within=fail_within,
        rule=list(rules),
        baseline=None if baseline is None else os.fspath(baseline),
        review=None if review is None else os.fspath(review),
        cluster=cluster,
        bcf=None if bcf is None else os.fspath(bcf),
        hull=hull,
        scale=scale,
        unit=unit,
        surfaces=surfaces,
        fill_holes=fill_holes,
        allow=_paths(allow, "allow"),
        explain=explain,
        report=None if report is None else os.fspath(report),
        proof=None if proof is None else os.fspath(proof),
    )
    if not isinstance(scene, Mapping):
        inputs = _paths(scene, "scene")
        if not inputs:
            raise ValueError("scene is empty, but needs at least one file")
        return _parsed(check_json([*options, "--", *inputs]))
    text = json.dumps(dict(scene), allow_nan=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scene.json")
        path.write_text(text, encoding="utf-8")
        try:
            return _parsed(check_json([*options, "--", str(path)]))
        except ValueError as error:
            # The file is not the caller's.
            raise ValueError(str(error).replace(str(path), "the scene")) from None


def _parsed(text: bytes) -> dict[str, Any]:
    parsed = json.loads(text)
    assert isinstance(parsed, dict)
    return parsed


def evidence(
    a: Shape,
    b: Shape,
    pose_b: object = None,
    *,
    pose_a: object = None,
    query: str = "distance",
    margin: float | None = None,
) -> str:
    """The answer to a query with its evidence, a line of JSON that ``verify`` checks and ``clearance query --proof`` would print.

    A query is "distance", "intersects", "within" (with ``margin``) or "depth".

    >>> from clearance import Pose, Shape, evidence, verify
    >>> ball = Shape.sphere(radius=1.0)
    >>> line = evidence(ball, ball, Pose(translation=[3.0, 0.0, 0.0]))
    >>> verify(line)["proved"]
    1
    """
    if query not in ("distance", "intersects", "within", "depth"):
        raise ValueError(f"query is {query!r}, but must be one of distance, intersects, within, depth")
    line = evidence_line(query, a, b, pose_b, pose_a, margin)
    answer = _parsed(line.encode())
    if "error" in answer:
        raise ValueError(answer["error"])
    return line


def verify(
    evidence: str | bytes | os.PathLike[str] | Iterable[str],
    *,
    scene: PathLike | Iterable[PathLike] = (),
    margin: float | None = None,
    until: float | None = None,
    hull: bool = False,
    scale: float | None = None,
    unit: str | None = None,
    allow: PathLike | Iterable[PathLike] = (),
) -> dict[str, Any]:
    """Checks evidence with a program that shares no code with the library, in exact arithmetic: the summary of ``clearance verify --json``.

    Evidence is text with a line for each answer, a list of lines, or the path (a ``pathlib.Path``) of a file with them. With a ``scene`` it must be about
    every pair of that.

    >>> from clearance import Shape, evidence, verify
    >>> cube = Shape.box(size=[1.0, 1.0, 1.0])
    >>> summary = verify([evidence(cube, cube, query="intersects"), evidence(cube, cube, query="depth")])
    >>> summary["answers"], summary["proved"], summary["refuted"]
    (2, 2, [])
    """
    if isinstance(evidence, os.PathLike):
        lines = Path(evidence).read_bytes()
    elif isinstance(evidence, str):
        lines = evidence.encode()
    elif isinstance(evidence, bytes):
        lines = evidence
    else:
        texts = list(evidence)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("evidence must be text, a list of lines or the path of a file")
        lines = "".join(text.rstrip("\n") + "\n" for text in texts).encode()
    options = _options(
        scene=_paths(scene, "scene"),
        margin=margin,
        until=until,
        hull=hull,
        scale=scale,
        unit=unit,
        allow=_paths(allow, "allow"),
    )
    return _parsed(verify_json(lines, options))
