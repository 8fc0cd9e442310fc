"""Jobs over tables of parts: the same rows as brute force, for any cells, chunks and workers."""

from __future__ import annotations

import csv
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

from clearance import Shape, distance
from clearance.distributed import clashes, configurations
from clearance.distributed import _job
from clearance.distributed._space import Cells, meeting
from clearance.distributed.__main__ import main

BOX = ("size_x", "size_y", "size_z")
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def random_parts(count: int, seed: int, spread: float = 10.0) -> list[dict[str, object]]:
    """Boxes on a lattice, so that many touch exactly and many minimum corners coincide, and some turned ones; one is very large."""
    random = np.random.default_rng(seed)
    parts: list[dict[str, object]] = []
    for index in range(count):
        at = random.integers(0, int(spread), 3).astype(float) if index % 2 else random.uniform(0.0, spread, 3)
        turn = np.array([0.0, 0.0, 0.0, 1.0]) if index % 2 else random.normal(size=4)
        size = [spread, spread, 0.1] if index == 7 else [1.0, 1.0, 1.0]
        parts.append({"id": f"part {index}", "group": "pair" if index < 2 else "", **dict(zip(POSE, [*at, *turn])), **dict(zip(BOX, size))})
    return parts


def brute(parts: list[dict[str, object]], margin: float) -> dict[tuple[str, str], tuple[float, float]]:
    shapes = [Shape.box(size=[part[name] for name in BOX]) for part in parts]
    poses = [np.array([part[name] for name in POSE], dtype=float) for part in parts]
    found = {}
    for a, b in itertools.combinations(range(len(parts)), 2):
        if parts[a]["group"] and parts[a]["group"] == parts[b]["group"]:
            continue
        answer = distance(shapes[a], shapes[b], pose_a=poses[a], pose_b=poses[b])
        if answer.lower <= margin:
            found[parts[a]["id"], parts[b]["id"]] = (answer.lower, answer.upper)
    return found


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("margin", [0.0, 0.25])
def test_a_job_finds_what_brute_force_finds_once(tmp_path, margin):
    parts = random_parts(120, seed=1)
    table = write(tmp_path / "parts.csv", parts)
    wanted = brute(parts, margin)
    assert len(wanted) > 100
    rows = None
    for chunk_parts, cell_parts in [(1000, 1000), (50, 10), (7, 3)]:
        output = tmp_path / "clashes.csv"
        summary = clashes(table, output, margin=margin, workers=0, chunk_parts=chunk_parts, cell_parts=cell_parts)
        found = read(output)
        assert len(found) == len({(row["a"], row["b"]) for row in found}) == summary.pairs, "a pair is there twice"
        assert {(row["a"], row["b"]) for row in found} == set(wanted)
        for row in found:
            lower, upper = wanted[row["a"], row["b"]]
            assert float(row["lower"]) <= upper and lower <= float(row["upper"]), "the brackets contradict each other"
        assert rows is None or rows == found, "cells or chunks have changed the rows"
        rows = found
        assert summary.overlaps == sum(float(row["lower"]) <= 0.0 for row in found)
        assert not list(tmp_path.glob("*.work")), "the work folder is left"


def test_the_pairs_of_boxes_are_those_of_brute_force_each_in_one_cell(monkeypatch):
    random = np.random.default_rng(2)
    lower = random.integers(0, 8, (300, 3)).astype(float)
    upper = lower + random.integers(0, 3, (300, 3))
    wanted = {
        (a, b) for a, b in itertools.combinations(range(300), 2) if (lower[a] <= upper[b]).all() and (lower[b] <= upper[a]).all()
    }
    for block in (10_000_000, 100):
        monkeypatch.setattr("clearance.distributed._space.BLOCK", block)
        found = [tuple(sorted(pair)) for first, second in meeting(lower, upper) for pair in zip(first.tolist(), second.tolist())]
        assert len(found) == len(set(found)) and set(found) == wanted
    for count in (1, 2, 7, 50):
        cells = Cells.of_sample(lower, upper, count)
        boxes, of = cells.of_boxes(lower, upper)
        meets = set(zip(boxes.tolist(), of.tolist()))
        for a, b in wanted:
            (cell,) = cells.of_points(np.maximum(lower[a], lower[b])[None])
            assert (a, cell) in meets and (b, cell) in meets


def test_large_parts_go_to_all_cells(tmp_path, monkeypatch):
    parts = random_parts(80, seed=3)
    table = write(tmp_path / "parts.csv", parts)
    monkeypatch.setattr(_job, "MOST_CELLS", 2)
    clashes(table, tmp_path / "a.csv", workers=0, cell_parts=5, work=tmp_path / "w", keep=True)
    placed = np.load(tmp_path / "w" / "cells-000000.npy")
    assert (placed["cell"] == -1).any()
    assert {(row["a"], row["b"]) for row in read(tmp_path / "a.csv")} == set(brute(parts, 0.0))


def test_a_job_that_was_stopped_goes_on(tmp_path, monkeypatch):
    parts = random_parts(100, seed=4)
    table = write(tmp_path / "parts.csv", parts)
    clashes(table, tmp_path / "whole.csv", workers=0, cell_parts=5)
    asked = []

    def stopped(*arguments):
        asked.append(arguments[1])
        if len(asked) == 4:
            raise KeyboardInterrupt
        return join(*arguments)

    join = _job._join
    monkeypatch.setattr(_job, "_join", stopped)
    with pytest.raises(KeyboardInterrupt):
        clashes(table, tmp_path / "a.csv", workers=0, cell_parts=5)
    assert not (tmp_path / "a.csv").exists()
    done = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "a.csv.work").glob("found-*")}
    assert len(done) == 3
    asked.clear()
    monkeypatch.setattr(_job, "_join", join)
    clashes(table, tmp_path / "a.csv", workers=0, cell_parts=5, keep=True)
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "a.csv.work").glob("found-*")}
    assert done.items() <= kept.items(), "a cell was joined again"
    assert read(tmp_path / "a.csv") == read(tmp_path / "whole.csv")
    # Another question does not use these files.
    clashes(table, tmp_path / "a.csv", margin=0.5, workers=0, cell_parts=5)
    assert {(row["a"], row["b"]) for row in read(tmp_path / "a.csv")} == set(brute(parts, 0.5))


def test_meshes_are_loaded_from_the_folder_of_the_table(tmp_path):
    tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "t.obj").write_text(tetrahedron)
    rows = [{"id": str(x), "file": "meshes/t.obj", "x": x, "scale": 2 if x == 9 else 1} for x in (0, 0.5, 3, 4.5, 9, 10.5)]
    table = write(tmp_path / "parts.csv", rows)
    clashes(table, tmp_path / "a.csv", workers=0)
    assert [(row["a"], row["b"]) for row in read(tmp_path / "a.csv")] == [("0", "0.5"), ("9", "10.5")]
    # A folder is a table of its meshes.
    (tmp_path / "meshes" / "u.obj").write_text(tetrahedron)
    summary = clashes(tmp_path / "meshes", tmp_path / "b.csv", workers=0)
    assert (summary.parts, summary.pairs) == (2, 1)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ("name,file\na,b\n", "has the column 'name'"),
        ("file\nb.obj\n", "has no column 'id'"),
        ("id,x\na,1\n", "has neither the column 'file' nor size_x"),
        ("id,file\na,missing.obj\n", "missing.obj"),
        ("id,size_x,size_y,size_z\na,1,1\n", "a row has 3 fields"),
        ("id,size_x,size_y,size_z\na,1,1,one\n", "row 0: size_z is 'one', which is no number"),
        ("id,size_x,size_y,size_z\na,1,1,1\nb,1,1,-1\n", "row 1: a size is negative"),
        ("id,size_x,size_y,size_z\na,1,1,nan\n", "not finite"),
        ("id,size_x,size_y,size_z,qw\na,1,1,1,0\n", "the quaternion is zero"),
        ("id,size_x,size_y,size_z,scale\na,1,1,1,0\n", "the scale is 0"),
    ],
)
def test_bad_tables_are_refused_with_a_sentence(tmp_path, text, fault, capsys):
    (tmp_path / "parts.csv").write_text(text)
    output = tmp_path / "a.csv"
    assert main([str(tmp_path / "parts.csv"), "-o", str(output), "--workers", "0"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ") and fault in message, message
    assert not output.exists()


def test_bad_arguments_are_refused_with_a_sentence(tmp_path):
    table = write(tmp_path / "parts.csv", random_parts(10, seed=1))
    for arguments, fault in [
        ({"output": tmp_path / "a.txt"}, "name a .parquet or .csv file"),
        ({"output": tmp_path / "no" / "a.csv"}, "is no folder"),
        ({"margin": -1.0}, "margin is -1.0"),
        ({"margin": float("nan")}, "margin is nan"),
        ({"cell_parts": 0}, "at least 1"),
        ({"parts": tmp_path / "none.csv"}, "does not exist"),
        ({"parts": tmp_path}, "folder without meshes"),
        ({"work": Path(__file__).parent}, "has other files"),
    ]:
        with pytest.raises(ValueError, match=fault):
            clashes(**{"parts": table, "output": tmp_path / "a.csv", "workers": 0, **arguments})


def test_the_program_says_what_it_found(tmp_path, capsys):
    table = write(tmp_path / "parts.csv", random_parts(50, seed=5))
    assert main([str(table), "-o", str(tmp_path / "a.csv"), "--workers", "0", "--cell-parts", "10"]) == 1
    assert f"{len(read(tmp_path / 'a.csv'))} pairs found" in capsys.readouterr().out
    alone = write(tmp_path / "alone.csv", random_parts(1, seed=5))
    assert main([str(alone), "-o", str(tmp_path / "b.csv"), "--workers", "0"]) == 0
    assert read(tmp_path / "b.csv") == []


def test_any_range_of_configurations_is_the_same():
    limits = ([-1.0, -np.inf, 0.0], [1.0, np.inf, 0.5])
    whole = configurations(limits, 1000, seed=7)
    assert whole.shape == (1000, 3)
    assert (np.abs(whole[:, 0]) <= 1.0).all() and (np.abs(whole[:, 1]) <= np.pi).all() and ((0.0 <= whole[:, 2]) & (whole[:, 2] <= 0.5)).all()
    assert np.abs(whole.mean(axis=0) - [0.0, 0.0, 0.25]).max() < 0.2
    for start, n in [(0, 10), (1, 1), (333, 5), (998, 2), (5, 0)]:
        assert (configurations(limits, n, seed=7, start=start) == whole[start : start + n]).all()
    assert (configurations(limits, 10, seed=8) != whole[:10]).any()
    with pytest.raises(ValueError, match="the limits have shapes"):
        configurations(([0.0], [1.0, 2.0]), 1, seed=0)


def test_dask_gives_the_rows_of_one_process_and_survives_a_killed_worker(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet

    table = write(tmp_path / "parts.csv", random_parts(400, seed=6, spread=15.0))
    clashes(table, tmp_path / "one.csv", workers=0)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            victim = client.submit(os.getpid, pure=False).result()
            client.submit(os.kill, victim, 9, pure=False, workers=[next(iter(cluster.workers.values())).worker_address])
            clashes(table, tmp_path / "two.parquet", client=client, cell_parts=20)
    rows = pyarrow.parquet.read_table(tmp_path / "two.parquet").to_pylist()
    assert [(row["a"], row["b"], row["lower"]) for row in rows] == [
        (row["a"], row["b"], float(row["lower"])) for row in read(tmp_path / "one.csv")
    ]
