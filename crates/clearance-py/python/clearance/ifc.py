"""Scenes from IFC models, read by ifcopenshell (``pip install ifcopenshell``).

>>> from clearance import check
>>> from clearance.ifc import scene
>>> # doctest: +SKIP
>>> found = check(scene(["architecture.ifc", "plumbing.ifc"]), bcf="clashes.bcf", cluster="layer")

The program writes a scene file: ``python -m clearance.ifc architecture.ifc plumbing.ifc -o model.json``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

#: Elements of these types have no body that could clash.
WITHOUT_BODY = ("IfcOpeningElement", "IfcSpace", "IfcVirtualElement", "IfcAnnotation", "IfcGrid")


def _ifcopenshell() -> Any:
    try:
        importlib.import_module("ifcopenshell.geom")
        importlib.import_module("ifcopenshell.util.element")
        return importlib.import_module("ifcopenshell")
    except ImportError:
        raise ValueError("IFC needs ifcopenshell; `pip install ifcopenshell` brings it") from None


def scene(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    without: Sequence[str] = WITHOUT_BODY,
    rules: Iterable[str] = (),
    threads: int | None = None,
) -> dict[str, Any]:
    """The elements of IFC files as a scene, in metres, for ``clearance.check`` or a file.

    A body is named "TYPE NAME (GUID)". Its ``guid`` is that of the element, its ``layer`` the storey (or the site, bridge, road, facility part) that contains it.
    Elements of types in ``without`` are left out, and those without a body are, too. Bodies of one model are checked against each other as well; a rule
    takes that out: ``"file:a.ifc : file:a.ifc ignore"``.
    """
    library = _ifcopenshell()
    paths = [Path(files)] if isinstance(files, (str, os.PathLike)) else [Path(file) for file in files]
    if not paths:
        raise ValueError("files is empty, but needs at least one IFC file")
    bodies: list[dict[str, Any]] = []
    names: dict[str, int] = {}
    for path in paths:
        if not path.is_file():
            raise ValueError(f"{path} does not exist or is no file")
        try:
            model = library.open(str(path))
        except Exception as error:
            raise ValueError(f"{path} cannot be read by ifcopenshell: {error}") from None
        for body in _bodies(library, model, path, without, threads):
            # Models that belong together may share elements, such as a marker of the origin.
            uses = names[body["name"]] = names.get(body["name"], 0) + 1
            if uses > 1:
                body["name"] += f" {uses}"
            bodies.append(body)
    return {"format": "clearance-scene/1", "unit": "m", "bodies": bodies, "rules": list(rules)}


def _bodies(library: Any, model: Any, path: Path, without: Sequence[str], threads: int | None) -> list[dict[str, Any]]:
    settings = library.geom.settings()
    settings.set("use-world-coords", True)
    settings.set("weld-vertices", True)
    left_out = [element for name in without for element in _of_type(model, name)]
    count = threads if threads is not None else max(os.cpu_count() or 1, 1)
    iterator = library.geom.iterator(settings, model, count, exclude=left_out or None)
    bodies: list[dict[str, Any]] = []
    if not iterator.initialize():
        return bodies
    while True:
        shape = iterator.get()
        vertices = np.asarray(shape.geometry.verts, dtype=np.float64).reshape(-1, 3)
        faces = np.asarray(shape.geometry.faces, dtype=np.int64).reshape(-1, 3)
        if len(faces):
            element = model.by_guid(shape.guid)
            # Numbers near the origin keep their digits: the middle of the element is its pose.
            middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
            name = " ".join(part for part in (shape.type.removeprefix("Ifc"), shape.name) if part)
            body = {
                "name": f"{name} ({shape.guid})",
                "guid": shape.guid,
                "shape": {"mesh": {"vertices": (vertices - middle).tolist(), "triangles": faces.tolist()}},
                "pose": {"translation": middle.tolist()},
            }
            container = library.util.element.get_container(element)
            if container is not None:
                body["layer"] = container.Name or container.GlobalId
            body["_type"], body["_file"] = shape.type, path.name
            bodies.append(body)
        if not iterator.next():
            return bodies


def _of_type(model: Any, name: str) -> list[Any]:
    try:
        return list(model.by_type(name))
    except RuntimeError:
        # The schema of this model does not have the type.
        return []


def main(arguments: list[str] | None = None) -> int:
    """Writes a scene file. Exit codes: 0 written, 2 bad input."""
    parser = argparse.ArgumentParser(prog="python -m clearance.ifc", description="Writes the elements of IFC files as a scene for clearance check.")
    parser.add_argument("files", nargs="+", help="IFC files")
    parser.add_argument("-o", "--output", required=True, help="the scene, a .json file")
    parser.add_argument("--rule", action="append", default=[], help="a rule of the scene; may be given several times")
    options = parser.parse_args(arguments)
    try:
        made = scene(options.files, rules=options.rule)
        output = Path(options.output)
        beside = output.with_name(f".{output.name}.{os.getpid()}")
        try:
            beside.write_text(json.dumps(made, allow_nan=False), encoding="utf-8")
            os.replace(beside, output)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{len(made['bodies'])} bodies of {len(options.files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
