"""Tables of parts, read in chunks: CSV by itself, Parquet with pyarrow, and folders of meshes."""

from __future__ import annotations

import csv
import importlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: The columns of a table. ``id`` is needed, and ``file`` or the size of a box; others may be left out.
TEXTS = ("id", "file", "group")
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
SIZE = ("size_x", "size_y", "size_z")
COLUMNS = (*TEXTS, *POSE, *SIZE, "scale")

#: A part as the stages keep it: numbers only. ``file`` is -1 for a box, ``group`` is -1 for none.
ROW = np.dtype([("pose", "f8", 7), ("size", "f8", 3), ("scale", "f8"), ("file", "i4"), ("group", "i4")])

Rows = npt.NDArray[np.void]
Ids = npt.NDArray[np.str_]

#: The endings of meshes that a folder is searched for.
MESHES = (".obj", ".stl", ".ply", ".off", ".gltf", ".glb", ".3mf", ".dae", ".wrl")


def pyarrow() -> Any:
    """The package that reads Parquet; a sentence if it is not there."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
        importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise ValueError("Parquet needs pyarrow; `pip install pyarrow` brings it, and .csv needs nothing") from None
    return arrow


def _csv_batches(path: Path, size: int) -> Iterator[dict[str, list[Any]]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        names = next(reader, None)
        if names is None:
            raise ValueError(f"{path} is empty; its first line has the names of the columns")
        while True:
            rows = list(itertools.islice(reader, size))
            if not rows:
                return
            for row in rows:
                if len(row) != len(names):
                    raise ValueError(f"{path}, line {reader.line_num}: a row has {len(row)} fields, but there are {len(names)} columns")
            yield {name: [row[index] for row in rows] for index, name in enumerate(names)}


def _parquet_batches(path: Path, size: int) -> Iterator[dict[str, list[Any]]]:
    try:
        file = pyarrow().parquet.ParquetFile(path)
    except (OSError, pyarrow().ArrowInvalid) as error:
        raise ValueError(f"{path} is no Parquet file: {error}") from None
    for batch in file.iter_batches(batch_size=size):
        yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}


def _folder_batches(path: Path, size: int) -> Iterator[dict[str, list[Any]]]:
    files = sorted(str(file) for file in path.rglob("*") if file.suffix.lower() in MESHES)
    if not files:
        raise ValueError(f"{path} is a folder without meshes ({', '.join(MESHES)})")
    for start in range(0, len(files), size):
        names = files[start : start + size]
        yield {"id": [os.path.relpath(name, path) for name in names], "file": [os.path.relpath(name, path) for name in names]}


class Table:
    """A table that is read once, chunk by chunk; ``files`` and ``groups`` are its texts, by number, once all chunks are read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise ValueError(f"{self.path} does not exist")
        self.folder = self.path if self.path.is_dir() else self.path.parent
        self.files: dict[str, int] = {}
        self.groups: dict[str, int] = {}

    def _batches(self, size: int) -> Iterator[dict[str, Any]]:
        if self.path.is_dir():
            return _folder_batches(self.path, size)
        if self.path.suffix.lower() == ".csv":
            return _csv_batches(self.path, size)
        if self.path.suffix.lower() in (".parquet", ".pq"):
            return _parquet_batches(self.path, size)
        raise ValueError(f"{self.path} is no table; name a .parquet or .csv file, or a folder of meshes")

    def chunks(self, size: int) -> Iterator[tuple[Ids, Rows]]:
        """The parts in chunks of at most ``size``: identifiers and numbers."""
        first = 0
        for batch in self._batches(size):
            unknown = [name for name in batch if name not in COLUMNS and not name.startswith("_")]
            if unknown:
                raise ValueError(f"{self.path} has the column {unknown[0]!r}; the columns are {', '.join(COLUMNS)}")
            if "id" not in batch:
                raise ValueError(f"{self.path} has no column 'id'")
            if "file" not in batch and not all(name in batch for name in SIZE):
                raise ValueError(f"{self.path} has neither the column 'file' nor {', '.join(SIZE)}")
            rows = np.zeros(len(batch["id"]), dtype=ROW)
            rows["file"], rows["group"] = self._numbers(batch, "file", self.files), self._numbers(batch, "group", self.groups)
            defaults = {"qw": 1.0, "scale": 1.0}

            def number(name: str, batch: dict[str, Any] = batch, first: int = first) -> npt.NDArray[np.float64]:
                return self._column(batch, name, defaults.get(name, 0.0), first)

            rows["pose"] = np.stack([number(name) for name in POSE], axis=1)
            rows["size"] = np.stack([number(name) for name in SIZE], axis=1)
            rows["scale"] = number("scale")
            self._check(rows, first)
            ids = np.asarray([str(name) for name in batch["id"]])
            yield ids, rows
            first += len(rows)

    @staticmethod
    def _numbers(batch: dict[str, Any], name: str, known: dict[str, int]) -> npt.NDArray[np.int32]:
        if name not in batch:
            return np.full(len(batch["id"]), -1, dtype=np.int32)
        texts = ("" if text is None else str(text) for text in batch[name])
        return np.asarray([known.setdefault(text, len(known)) if text else -1 for text in texts], dtype=np.int32)

    def _column(self, batch: dict[str, Any], name: str, default: float, first: int) -> npt.NDArray[np.float64]:
        if name not in batch:
            return np.full(len(batch["id"]), default)
        values = batch[name]
        try:
            return np.asarray([default if value is None or value == "" else value for value in values], dtype=np.float64)
        except (TypeError, ValueError):
            for index, value in enumerate(values):
                try:
                    float(value if value not in (None, "") else default)
                except (TypeError, ValueError):
                    raise ValueError(f"{self.path}, row {first + index}: {name} is {value!r}, which is no number") from None
            raise

    def _check(self, rows: Rows, first: int) -> None:
        for name in ("pose", "size", "scale"):
            values = rows[name].reshape(len(rows), -1)
            bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
            if bad.size:
                raise ValueError(f"{self.path}, row {first + int(bad[0])}: a number of its {name} is not finite")
        is_box = rows["file"] < 0
        bad = np.flatnonzero(is_box & ~(rows["size"] >= 0.0).all(axis=1))
        if bad.size:
            raise ValueError(f"{self.path}, row {first + int(bad[0])}: a size is negative")
        bad = np.flatnonzero(~(rows["scale"] > 0.0))
        if bad.size:
            raise ValueError(f"{self.path}, row {first + int(bad[0])}: the scale is {rows['scale'][bad[0]]}, but must be above 0")
        bad = np.flatnonzero(~(np.abs(rows["pose"][:, 3:]).max(axis=1) > 0.0))
        if bad.size:
            raise ValueError(f"{self.path}, row {first + int(bad[0])}: the quaternion is zero")


#: The columns of a result.
RESULT = ("a", "b", "distance", "lower", "upper", "ax", "ay", "az", "bx", "by", "bz", "nx", "ny", "nz")


def write(path: Path, columns: dict[str, Any]) -> None:
    """Writes the result as a whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.suffix.lower() == ".csv":
            with beside.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(RESULT)
                writer.writerows(zip(*(columns[name].tolist() for name in RESULT)))
        else:
            arrow = pyarrow()
            arrow.parquet.write_table(arrow.table({name: columns[name] for name in RESULT}), beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
