"""The stages of a job, on this process or on a Dask cluster. The package's head describes them."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import shutil
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clearance._batch import distance_pairs
from clearance._native import Shape
from clearance.distributed import _table
from clearance.distributed._space import Cells, meeting
from clearance.distributed._table import Table

#: Version of the files in the work folder; those of another one are not used.
FORMAT = "clearance-distributed/1"

#: Boxes that the tree of cells is made from, at most. Limit: enough for thousands of cells of even sizes.
MOST_SAMPLES = 400_000

#: A part that meets more cells goes to all of them. Limit: copies of a floor or a terrain.
MOST_CELLS = 64

#: Bytes of mesh files that a worker keeps as shapes. Limit: a shape takes some tens of times the size of its file.
MOST_BYTES = 64_000_000

#: Pairs that are queried at once. Limit: the memory of their answers.
PAIRS = 100_000

BOX = np.dtype([("lower", "f8", 3), ("upper", "f8", 3)])
PLACED = np.dtype([("row", "i8"), ("cell", "i8"), ("lower", "f8", 3), ("upper", "f8", 3)])
FOUND = np.dtype([("a", "i8"), ("b", "i8"), ("answer", "f8", 12)])

Floats = npt.NDArray[np.float64]
Records = npt.NDArray[np.void]


@dataclass(frozen=True)
class Summary:
    """The numbers of a finished job."""

    #: Parts in the table.
    parts: int
    #: Cells that space was cut into.
    cells: int
    #: Copies of parts in cells, over the number of parts: how much work the cuts added.
    copies: float
    #: Pairs whose boxes meet.
    candidates: int
    #: Pairs within the margin.
    pairs: int
    #: Pairs that are not proved apart.
    overlaps: int


@dataclass(frozen=True)
class Settings:
    """Everything that the files of a job depend on."""

    table: str
    size: int
    modified: int
    margin: float
    chunk_parts: int
    cell_parts: int

    def key(self) -> str:
        return hashlib.sha256(json.dumps([FORMAT, asdict(self)]).encode()).hexdigest()


def _save(path: Path, array: npt.NDArray[Any]) -> None:
    """Writes a file as a whole or not at all: a task that is killed leaves none, and two that do the same may both write."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        np.save(file, array)
    os.replace(beside, path)


def _load(path: Path) -> npt.NDArray[Any]:
    """An array that stays on the disk until it is used."""
    loaded: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return loaded


class _Shapes:
    """The shapes of a worker: those used last, up to a number of bytes of their files."""

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple[Any, ...], tuple[Shape, int]] = OrderedDict()
        self.bytes = 0

    def of(self, row: Any, folder: str, files: list[str]) -> Shape:
        number = int(row["file"])
        if number < 0:
            return Shape.box(size=row["size"])
        path, scale = os.path.join(folder, files[number]), float(row["scale"])
        key = (path, scale)
        found = self.kept.get(key)
        if found is not None:
            self.kept.move_to_end(key)
            return found[0]
        shape = Shape.load(path, scale=scale)
        size = os.path.getsize(path)
        self.kept[key] = (shape, size)
        self.bytes += size
        while self.bytes > MOST_BYTES and len(self.kept) > 1:
            _, (_, old) = self.kept.popitem(last=False)
            self.bytes -= old
        return shape


_SHAPES = _Shapes()


def _box_of_boxes(rows: Records) -> Records:
    """Boxes around turned boxes, rounded outward: by far more than the few roundings of doubles here."""
    quaternion = rows["pose"][:, 3:]
    x, y, z, w = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    turn = np.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
         2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1,
    ).reshape(-1, 3, 3)
    half = np.einsum("nij,nj->ni", np.abs(turn), 0.5 * rows["size"])
    at = rows["pose"][:, :3]
    slack = 1e-12 * (np.abs(at) + half.max(axis=1, keepdims=True))
    boxes = np.zeros(len(rows), dtype=BOX)
    boxes["lower"], boxes["upper"] = at - half - slack, at + half + slack
    return boxes


def _boxes(work: str, chunk: int, folder: str, files: list[str]) -> int:
    """Stage 2: the boxes of a chunk."""
    target = Path(work, f"boxes-{chunk:06}.npy")
    if not target.exists():
        rows = _load(Path(work, f"rows-{chunk:06}.npy"))
        boxes = _box_of_boxes(rows)
        for index in np.flatnonzero(rows["file"] >= 0):
            try:
                boxes["lower"][index], boxes["upper"][index] = _SHAPES.of(rows[index], folder, files).aabb(rows["pose"][index])
            except (OSError, ValueError) as error:
                raise ValueError(f"row {index} of chunk {chunk}: {error}") from None
        _save(target, boxes)
    return chunk


def _assign(work: str, chunk: int, first: int, margin: float, planes: list[tuple[int, float, int, int]], count: int) -> tuple[int, int]:
    """Stage 3: the parts of a chunk with the cells that they meet, sorted by cell; those in very many cells have the cell -1."""
    target = Path(work, f"cells-{chunk:06}.npy")
    if not target.exists():
        boxes = _load(Path(work, f"boxes-{chunk:06}.npy"))
        # Two parts are within the margin only if their boxes meet, each grown by half of it. Both tasks grow a box by the same operation.
        lower, upper = boxes["lower"] - 0.5 * margin, boxes["upper"] + 0.5 * margin
        lower, upper = np.nextafter(lower, -np.inf), np.nextafter(upper, np.inf)
        parts, cells = Cells(planes, count).of_boxes(lower, upper)
        is_large = np.bincount(parts, minlength=len(boxes)) > MOST_CELLS
        cells = np.where(is_large[parts], -1, cells)
        parts, cells = np.unique(np.stack([parts, cells]), axis=1) if is_large.any() else np.stack([parts, cells])
        order = np.lexsort((parts, cells))
        placed = np.zeros(order.size, dtype=PLACED)
        parts = parts[order]
        placed["row"], placed["cell"] = first + parts, cells[order]
        placed["lower"], placed["upper"] = lower[parts], upper[parts]
        _save(target, placed)
    return chunk, len(_load(target))


def _in_cell(work: str, chunks: int, cell: int) -> Records:
    """The parts of a cell, and those of all cells."""
    found = []
    for chunk in range(chunks):
        placed = _load(Path(work, f"cells-{chunk:06}.npy"))
        for wanted in (-1, cell):
            start, end = np.searchsorted(placed["cell"], [wanted, wanted + 1])
            found.append(np.array(placed[start:end]))
    return np.concatenate(found)


def _gathered(work: Path, name: str, starts: list[int], numbers: npt.NDArray[np.int64], into: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Entries of the chunks of a name, by their numbers in the table; ``starts`` has the first number of each chunk."""
    chunks = np.searchsorted(starts, numbers, side="right") - 1
    for chunk in np.unique(chunks):
        of_chunk = chunks == chunk
        into[of_chunk] = _load(work / f"{name}-{chunk:06}.npy")[numbers[of_chunk] - starts[chunk]]
    return into


def _join(
    work: str, cell: int, starts: list[int], margin: float, planes: list[tuple[int, float, int, int]],
    count: int, folder: str, files: list[str],
) -> tuple[int, int]:
    """Stage 4: the pairs of a cell within the margin. Returns the number of pairs whose boxes meet."""
    target = Path(work, f"found-{cell:06}.npy")
    counted = Path(work, f"candidates-{cell:06}.npy")
    if not target.exists() or not counted.exists():
        placed = _in_cell(work, len(starts), cell)
        tree = Cells(planes, count)
        candidates, found = 0, [np.zeros(0, dtype=FOUND)]
        for first, second in meeting(placed["lower"], placed["upper"]):
            corners = np.maximum(placed["lower"][first], placed["lower"][second])
            mine = tree.of_points(corners) == cell
            pairs = np.sort(np.stack([placed["row"][first[mine]], placed["row"][second[mine]]], axis=1), axis=1)
            for start in range(0, len(pairs), PAIRS):
                part = pairs[start : start + PAIRS]
                numbers, places = np.unique(part, return_inverse=True)
                places = places.reshape(part.shape)
                rows = _gathered(Path(work), "rows", starts, numbers, np.zeros(numbers.size, dtype=_table.ROW))
                groups = rows["group"][places]
                wanted = (groups[:, 0] < 0) | (groups[:, 0] != groups[:, 1])
                part, places = part[wanted], places[wanted]
                candidates += len(part)
                if not len(part):
                    continue
                used, places = np.unique(places, return_inverse=True)
                shapes = [_SHAPES.of(row, folder, files) for row in rows[used]]
                # Each pair alone, the smaller row first: the answer does not depend on the cell.
                answers = distance_pairs(shapes, rows["pose"][used], places.reshape(part.shape), full=True, threads=1)
                near = answers.lower <= margin
                kept = np.zeros(int(near.sum()), dtype=FOUND)
                kept["a"], kept["b"] = part[near].T
                kept["answer"] = np.concatenate(
                    [np.stack([answers.distance, answers.lower, answers.upper], axis=1), answers.point_a, answers.point_b,
                     answers.normal], axis=1,
                )[near]
                found.append(kept)
        _save(target, np.concatenate(found))
        _save(counted, np.asarray(candidates))
    return cell, int(_load(counted))


class _Here:
    """Runs tasks in this process."""

    def run(self, tasks: Iterable[tuple[Any, ...]], function: Callable[..., Any]) -> Iterator[Any]:
        for arguments in tasks:
            yield function(*arguments)


class _Dask:
    """Runs tasks on a cluster. A task that was lost with its worker runs again, on another one."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, tasks: Iterable[tuple[Any, ...]], function: Callable[..., Any]) -> Iterator[Any]:
        as_completed = importlib.import_module("distributed").as_completed
        futures = [self.client.submit(function, *arguments, pure=False, retries=2) for arguments in tasks]
        try:
            for _, result in as_completed(futures, with_results=True):
                yield result
        finally:
            for future in futures:
                future.cancel()


@contextlib.contextmanager
def _runner(client: Any, scheduler: str | None, workers: int | None) -> Iterator[_Here | _Dask]:
    if workers == 0 and client is None and scheduler is None:
        yield _Here()
        return
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise ValueError("a cluster needs Dask; `pip install distributed` brings it, and workers=0 runs in this process") from None
    if client is not None:
        yield _Dask(client)
    elif scheduler is not None:
        with distributed.Client(scheduler) as connected:
            yield _Dask(connected)
    else:
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as connected:
                yield _Dask(connected)


class _Progress:
    """A line on a terminal."""

    def __init__(self, show: bool) -> None:
        self.show = show and sys.stderr.isatty()

    def at(self, stage: str, done: int, total: int) -> None:
        if self.show:
            end = "\n" if done == total else ""
            print(f"\r{stage}: {done} of {total}", end=end, file=sys.stderr, flush=True)


def clashes(
    parts: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    margin: float = 0.0,
    client: Any = None,
    scheduler: str | None = None,
    workers: int | None = None,
    work: str | os.PathLike[str] | None = None,
    chunk_parts: int = 100_000,
    cell_parts: int = 10_000,
    keep: bool = False,
    progress: bool = False,
) -> Summary:
    """Writes all pairs of parts of a table that overlap, or are not proved farther apart than ``margin``, to ``output`` (.parquet or .csv).

    ``parts`` is a .parquet or .csv file, or a folder of meshes. Its columns are ``id``; ``file`` (a mesh, relative to the table) or ``size_x``, ``size_y``,
    ``size_z`` (a box); ``x``, ``y``, ``z``, ``qx``, ``qy``, ``qz``, ``qw`` (the pose); ``scale``; ``group`` (parts of one group are not checked against each other).

    The job runs on a Dask ``client``, on the cluster of a ``scheduler``, on a local cluster, or with ``workers=0`` in this process. ``work`` is the folder of
    its files (by default beside the output), which all workers have to see. A job that was stopped goes on if it is started again with the same
    arguments. The folder is removed at the end unless ``keep`` is set.
    """
    table, output = Table(parts), Path(output)
    if not (0.0 <= margin < float("inf")):
        raise ValueError(f"margin is {margin}, but must be a finite number from 0 up")
    if chunk_parts < 1 or cell_parts < 1:
        raise ValueError("chunk_parts and cell_parts must be at least 1")
    if output.suffix.lower() not in (".csv", ".parquet", ".pq"):
        raise ValueError(f"{output} is no result; name a .parquet or .csv file")
    if output.suffix.lower() != ".csv":
        _table.pyarrow()
    if not output.absolute().parent.is_dir():
        raise ValueError(f"{output.absolute().parent} is no folder")
    state = table.path.stat()
    settings = Settings(str(table.path.absolute()), state.st_size, state.st_mtime_ns, float(margin), chunk_parts, cell_parts)
    folder = Path(work) if work is not None else output.with_name(f"{output.name}.work")
    with _runner(client, scheduler, workers) as runner:
        return _run(table, output, settings, folder.absolute(), runner, _Progress(progress), keep)


def _run(
    table: Table, output: Path, settings: Settings, work: Path, runner: _Here | _Dask, progress: _Progress, keep: bool
) -> Summary:
    marker = work / "job.json"
    job = json.loads(marker.read_text()) if marker.exists() else None
    if job is None or job.get("key") != settings.key():
        if job is None and work.exists() and any(work.iterdir()):
            raise ValueError(f"{work} has other files; name an empty folder")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        # It says whose files these are, before there are any.
        marker.write_text(json.dumps({"key": settings.key()}))
        job = None
    if job is None or "counts" not in job:
        counts = []
        for chunk, (ids, rows) in enumerate(table.chunks(settings.chunk_parts)):
            _save(work / f"ids-{chunk:06}.npy", ids)
            _save(work / f"rows-{chunk:06}.npy", rows)
            counts.append(len(rows))
            progress.at("read", sum(counts), sum(counts))
        job = {"key": settings.key(), "counts": counts, "files": list(table.files)}
        beside = work / ".job.json"
        beside.write_text(json.dumps(job))
        os.replace(beside, marker)
    counts, files, home = job["counts"], job["files"], str(table.folder.absolute())
    # Chunks of a Parquet file may be shorter than asked for.
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(int).tolist()[:-1] if counts else []
    chunks, parts, at = len(counts), sum(counts), str(work)
    for done, _ in enumerate(runner.run(((at, chunk, home, files) for chunk in range(chunks)), _boxes), 1):
        progress.at("boxes", done, chunks)
    planes, cells = _plan(work, chunks, parts, settings.cell_parts)
    copies = 0
    tasks = ((at, chunk, starts[chunk], settings.margin, planes, cells) for chunk in range(chunks))
    for done, (_, placed) in enumerate(runner.run(tasks, _assign), 1):
        copies += placed
        progress.at("assign", done, chunks)
    candidates = 0
    joins = ((at, cell, starts, settings.margin, planes, cells, home, files) for cell in range(cells))
    for done, (_, count) in enumerate(runner.run(joins, _join), 1):
        candidates += count
        progress.at("join", done, cells)
    found = np.concatenate([np.zeros(0, dtype=FOUND), *(_load(work / f"found-{cell:06}.npy") for cell in range(cells))])
    found = found[np.lexsort((found["b"], found["a"]))]
    _table.write(output, _columns(work, starts, found))
    if not keep:
        shutil.rmtree(work)
    overlaps = int((found["answer"][:, 1] <= 0.0).sum())
    return Summary(parts, cells, copies / parts if parts else 0.0, candidates, len(found), overlaps)


def _plan(work: Path, chunks: int, parts: int, cell_parts: int) -> tuple[list[tuple[int, float, int, int]], int]:
    """The cells, from a sample of all boxes."""
    step = max(parts // MOST_SAMPLES, 1)
    sampled = [np.zeros(0, dtype=BOX), *(np.array(_load(work / f"boxes-{chunk:06}.npy")[::step]) for chunk in range(chunks))]
    sample = np.concatenate(sampled)
    tree = Cells.of_sample(sample["lower"], sample["upper"], -(-parts // cell_parts))
    return tree.planes, tree.count


def _columns(work: Path, starts: list[int], found: Records) -> dict[str, Any]:
    """The result by columns, with identifiers for numbers."""

    def names(numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        return _gathered(work, "ids", starts, numbers, np.empty(numbers.size, dtype=object))

    columns: dict[str, Any] = {"a": names(found["a"]), "b": names(found["b"])}
    columns.update({name: np.ascontiguousarray(found["answer"][:, index]) for index, name in enumerate(_table.RESULT[2:])})
    return columns
