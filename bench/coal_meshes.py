#!/usr/bin/env python3
"""Times Coal (BVHModelOBBRSS) on the poses that `cargo bench-meshes models --poses FOLDER` wrote, and prints ratios.

usage: python3 bench/coal_meshes.py FOLDER [--ours PROGRAM] [--fcl] [--markdown FILE] [--machine TEXT] [--match TEXT]

Needs numpy and coal (PyPI), and with `--fcl` python-fcl, whose ratios are a second table. Both sides answer the same queries: distances at the poses where the shapes are apart, and yes/no at these and
at the others. The least time of some passes counts. The overhead of a call from Python is measured on two single triangles
that are apart, and subtracted; the least time of Coal is the resolution, 0.05 us. `--ours` names the program
`meshes` in `target/bench-pairs`: it is run before and after Coal on each row, and the lesser times count. `--markdown` replaces the
section between the anchors `real-meshes` of a file, with the text of `--machine`.
"""

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


def timed(ask, queries, prepare=lambda query: query):
    """Microseconds of each query: the least of some passes."""
    best = np.full(len(queries), np.inf)
    answers = []
    for _ in range(PASSES):
        answers = []
        for i, query in enumerate(queries):
            query = prepare(query)
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


def asks_fcl(meshes):
    """Yes/no and distance of FCL, about the queries of Coal."""
    import fcl

    def model(vertices, triangles):
        made = fcl.BVHModel()
        made.beginModel(len(vertices), len(triangles))
        made.addSubModel(np.ascontiguousarray(vertices, float), np.ascontiguousarray(triangles, np.int64))
        made.endModel()
        return made

    # Two bodies, since both shapes may be one.
    bodies = [[fcl.CollisionObject(model(*mesh), fcl.Transform()) for mesh in meshes] for _ in range(2)]
    collide, distance = fcl.CollisionRequest(), fcl.DistanceRequest()

    def placed(query):
        a, b, pose_a, pose_b = query
        for side, (number, pose) in enumerate(((a, pose_a), (b, pose_b))):
            bodies[side][number].setTransform(fcl.Transform(pose.getRotation(), pose.getTranslation()))
        return bodies[0][a], bodies[1][b]

    def meet(pair):
        return fcl.collide(*pair, collide, fcl.CollisionResult()) > 0

    def far(pair):
        return fcl.distance(*pair, distance, fcl.DistanceResult())

    return placed, meet, far


ONE = (np.eye(3), np.array([[0, 1, 2]]))


def overhead():
    """Microseconds that a call takes for two single triangles that are apart, by yes/no and distance."""
    meet, far = asks([model(*ONE)])
    return [float(np.median(timed(ask, [away()] * 500)[0])) for ask in (meet, far)]


def away():
    """A query about two single triangles that are apart."""
    return 0, 0, coal.Transform3s.Identity(), coal.Transform3s(np.eye(3), np.array([9.0, 0.0, 0.0]))


def overhead_fcl():
    """As `overhead`, of FCL."""
    placed, meet, far = asks_fcl([ONE])
    return [float(np.median(timed(ask, [away()] * 500, placed)[0])) for ask in (meet, far)]


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


def of_calls(gaps, times, is_apart, calls):
    """Means of distances and of yes/no for shapes that are apart and that meet, less what a call takes."""
    mean = lambda of, call: max(float(of.mean()) - call, RESOLUTION) if len(of) else float("nan")
    return [mean(gaps, calls[1]), mean(times[is_apart], calls[0]), mean(times[~is_apart], calls[0])]


def cells(ours, theirs):
    """The cells of a row: our times, theirs and the ratios. (A row without such poses has NaN.)"""
    some = [f"{a:.2f} | {b:.2f} | {b / a:.1f}" if a == a else "– | – | –" for a, b in zip(ours, theirs)]
    return " | ".join(some) + " |"


def head(start, peer):
    """The first two lines of a table."""
    columns = [f"{query}, us | {peer} | times as fast" for query in ("distance", "apart?", "meet?")]
    return [f"| {start} | {' | '.join(columns)} |", "|---|" + "---:|" * (start.count("|") + 9)]


def main():
    arguments = sys.argv[1:]

    def option(name):
        return arguments[arguments.index(name) + 1] if name in arguments else None

    folder, markdown, only = pathlib.Path(arguments[0]), option("--markdown"), option("--match") or ""
    program = option("--ours")
    ours = ours_of(folder)
    calls = overhead()
    print(f"a call takes {calls[0]:.2f} us (yes/no), {calls[1]:.2f} us (distance), which is subtracted")
    calls_fcl = overhead_fcl() if "--fcl" in arguments else None
    lines, lines_fcl = [], []
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
        theirs = of_calls(gaps, times, is_apart, calls)
        if program:
            of_ours = [min(pair) for pair in zip(of_ours, again(program, folder / f"{name}.cdw"))]
        lines.append(f"| {name} | {triangles} | {int(is_apart.sum())} of {len(queries)} | " + cells(of_ours, theirs))
        print(lines[-1], flush=True)
        if calls_fcl:
            placed, meet, distance = asks_fcl(meshes)
            times, _ = timed(meet, queries, placed)
            gaps, _ = timed(distance, [query for query, apart in zip(queries, is_apart) if apart], placed)
            lines_fcl.append(f"| {name} | " + cells(of_ours, of_calls(gaps, times, is_apart, calls_fcl)))
            print("FCL " + lines_fcl[-1], flush=True)
    if markdown:
        table = head("pair | triangles of the first | poses apart", "Coal") + lines
        if lines_fcl:
            table += ["", "The same beside python-fcl:", ""] + head("pair", "FCL") + lines_fcl
        path = pathlib.Path(markdown)
        machine = f" Measured {option('--machine')}." if option("--machine") else ""
        start, end = "<!-- ANCHOR: real-meshes -->", "<!-- ANCHOR_END: real-meshes -->"
        text = path.read_text()
        before, rest = text.split(start)
        _, tail = rest.split(end)
        intro = (
            "\n\n## Real meshes\n\nWritten by `CLEARANCE_MODELS=MODELS cargo bench-meshes models --poses FOLDER` and `python3 bench/coal_meshes.py FOLDER --markdown bench/tables/meshes.md`: "
            f"two meshes beside Coal {coal.__version__} (OBBRSS), poses as in `bench/src/bin/meshes/models.rs`. Only the ratios mean anything.{machine}\n\n"
        )
        path.write_text(before + start + intro + "\n".join(table) + "\n\n" + end + tail)


if __name__ == "__main__":
    main()
