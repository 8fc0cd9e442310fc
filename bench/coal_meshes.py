#!/usr/bin/env python3
"""Times Coal (BVHModelOBBRSS) on the poses that `cargo bench-meshes models --poses FOLDER` wrote, and prints ratios.

usage: python3 bench/coal_meshes.py FOLDER [--ours PROGRAM] [--markdown FILE] [--machine TEXT] [--match TEXT]

Needs numpy and coal (PyPI). Both sides answer the same queries: distances at the poses where the shapes are apart, and yes/no at these and
at the others. Of each query the least of some passes counts. What a call from Python costs is measured on two single triangles
that are apart, and subtracted; a yes/no of Coal that is shorter than that counts as the resolution, 0.05 us. `--ours` names the program
`meshes` in `target/bench-pairs`: it is run before and after Coal on each row, and the lesser times count. `--markdown` replaces the
section between the anchors `real-meshes` of a file, with the date and what `--machine` says.
"""

import datetime
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import coal
import numpy as np

PASSES = 4
RESOLUTION = 0.05


def read(path):
    """Meshes and queries of a workload file of the harness."""
    data = path.read_bytes()
    assert data[:4] == b"CDW1", path
    (_, count), at = struct.unpack_from("<II", data, 4), 12
    meshes = []
    for _ in range(count):
        _, sizes = struct.unpack_from("<II", data, at)
        at += 8 + 8 * sizes
        (points,) = struct.unpack_from("<I", data, at)
        vertices = np.frombuffer(data, "<f8", 3 * points, at + 4).reshape(-1, 3)
        at += 4 + 24 * points
        (faces,) = struct.unpack_from("<I", data, at)
        triangles = np.frombuffer(data, "<u4", 3 * faces, at + 4).reshape(-1, 3)
        at += 4 + 12 * faces
        meshes.append((vertices, triangles))
    (queries,) = struct.unpack_from("<I", data, at)
    record = [("a", "<u4"), ("b", "<u4"), ("RA", "<f8", 9), ("tA", "<f8", 3), ("RB", "<f8", 9), ("tB", "<f8", 3)]
    return meshes, np.frombuffer(data, np.dtype(record), queries, at + 4)


def model(vertices, triangles):
    """A mesh of Coal with its tree."""
    made = coal.BVHModelOBBRSS()
    made.beginModel(len(triangles), len(vertices))
    made.addVertices(np.ascontiguousarray(vertices, float))
    # (`addTriangles` takes signed numbers.)
    made.addTriangles(np.ascontiguousarray(triangles, np.int64))
    made.endModel()
    made.computeLocalAABB()
    return made


def poses(queries):
    """Two transforms for each query."""
    def transform(rotation, translation):
        return coal.Transform3s(np.array(rotation).reshape(3, 3), np.array(translation))

    return [(int(q["a"]), int(q["b"]), transform(q["RA"], q["tA"]), transform(q["RB"], q["tB"])) for q in queries]


def timed(ask, queries):
    """Microseconds of each query: the least of some passes."""
    best = np.full(len(queries), np.inf)
    answers = []
    for _ in range(PASSES):
        answers = []
        for i, query in enumerate(queries):
            start = time.perf_counter()
            answers.append(ask(query))
            best[i] = min(best[i], time.perf_counter() - start)
    return best * 1e6, answers


def asks(models):
    """Yes/no and distance."""
    collide, distance = coal.CollisionRequest(), coal.DistanceRequest(True, False)
    collide.enable_contact = False
    collide.num_max_contacts = 1
    hit, gap = coal.CollisionResult(), coal.DistanceResult()

    def meet(query):
        a, b, pose_a, pose_b = query
        hit.clear()
        return coal.collide(models[a], pose_a, models[b], pose_b, collide, hit) > 0

    def far(query):
        a, b, pose_a, pose_b = query
        gap.clear()
        return coal.distance(models[a], pose_a, models[b], pose_b, distance, gap)

    return meet, far


def overhead():
    """Microseconds that a call takes for two single triangles that are apart, by yes/no and distance."""
    one = model(np.eye(3), np.array([[0, 1, 2]]))
    meet, far = asks([one])
    away = coal.Transform3s(np.eye(3), np.array([9.0, 0.0, 0.0]))
    query = (0, 0, coal.Transform3s.Identity(), away)
    return [float(np.median(timed(ask, [query] * 500)[0])) for ask in (meet, far)]


def ours_of(folder):
    """Rows of a run of ours: triangles, and microseconds of distance, yes/no apart, yes/no meeting."""
    ours = {}
    for line in (folder / "ours.csv").read_text().splitlines()[1:]:
        name, triangles, _, _, *times = line.rsplit(",", 6)
        ours[name] = (int(triangles), [float(x) for x in times])
    return ours


def again(program, workload):
    """The times of one row, measured now."""
    with tempfile.TemporaryDirectory() as out:
        environment = {name: value for name, value in os.environ.items() if name != "CLEARANCE_MODELS"}
        command = [program, "models", str(workload), "--poses", out]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        return ours_of(pathlib.Path(out))[workload.stem][1]


def main():
    arguments = sys.argv[1:]

    def option(name):
        return arguments[arguments.index(name) + 1] if name in arguments else None

    folder, markdown, only = pathlib.Path(arguments[0]), option("--markdown"), option("--match") or ""
    program = option("--ours")
    ours = ours_of(folder)
    calls = overhead()
    print(f"a call takes {calls[0]:.2f} us (yes/no), {calls[1]:.2f} us (distance), which is subtracted")
    lines = []
    for name, (triangles, of_ours) in ours.items():
        if only not in name:
            continue
        if program:
            of_ours = again(program, folder / f"{name}.cdw")
        meshes, queries = read(folder / f"{name}.cdw")
        models = [model(*mesh) for mesh in meshes]
        meet, distance = asks(models)
        queries = poses(queries)
        times, met = timed(meet, queries)
        is_apart = ~np.array(met)
        gaps, _ = timed(distance, [query for query, apart in zip(queries, is_apart) if apart])
        mean = lambda of, call: max(float(of.mean()) - call, RESOLUTION) if len(of) else float("nan")
        theirs = [mean(gaps, calls[1]), mean(times[is_apart], calls[0]), mean(times[~is_apart], calls[0])]
        if program:
            of_ours = [min(pair) for pair in zip(of_ours, again(program, folder / f"{name}.cdw"))]
        # (A row without such poses has NaN.)
        cells = [f"{a:.2f} | {b:.2f} | {b / a:.1f}" if a == a else "– | – | –" for a, b in zip(of_ours, theirs)]
        lines.append(f"| {name} | {triangles} | {int(is_apart.sum())} of {len(queries)} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    if markdown:
        table = [
            "| pair | triangles of the first | poses apart | distance, us | Coal | times as fast | apart?, us | Coal | times as fast | meet?, us | Coal | times as fast |",
            "|---|---:|---:|" + "---:|" * 9,
        ] + lines
        path = pathlib.Path(markdown)
        machine = f", {option('--machine')}" if option("--machine") else ""
        start, end = "<!-- ANCHOR: real-meshes -->", "<!-- ANCHOR_END: real-meshes -->"
        text = path.read_text()
        head, rest = text.split(start)
        _, tail = rest.split(end)
        intro = (
            "\n\n## Real meshes\n\nWritten by `CLEARANCE_MODELS=MODELS cargo bench-meshes models --poses FOLDER` and `python3 bench/coal_meshes.py FOLDER --markdown COMPARE.md`: "
            f"two meshes beside Coal {coal.__version__} (OBBRSS), poses as in `bench/src/bin/meshes/models.rs`. Only the ratios mean anything. "
            f"Measured {datetime.date.today()}{machine}.\n\n"
        )
        path.write_text(head + start + intro + "\n".join(table) + "\n\n" + end + tail)


if __name__ == "__main__":
    main()
