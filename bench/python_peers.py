"""Clearance beside python-fcl, Coal and trimesh, in one process and through their own Python packages.

    pip install ./crates/clearance-py python-fcl coal trimesh
    python bench/python_peers.py [--poses N] [--rounds N] [--markdown COMPARE.md]

Peers that are not installed are left out, and named. All packages get the same pairs at the same random poses, about half of which overlap; distances are
timed where the pair is apart, since python-fcl has none elsewhere. All shapes, poses and requests are made before the clock starts, in the form that
each package takes. Packages take turns, a block of 50 poses at a time; the least time of each block counts. Answers are judged by the bracket of
Clearance: one is wrong if it lies outside by more than 1e-6 of the size, or says that bodies touch that are proved apart, or the other way round. Only the
ratios mean anything.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from importlib import import_module, metadata
from typing import Any

import numpy as np

import clearance
from clearance import Shape, distance_batch, intersects_batch

# An answer may be this part of the size outside of the bracket: the default tolerance of the peers.
RIGHT = 1e-6

# Poses that are timed at once: less than a time slice, so that other programs spoil few blocks.
BLOCK = 50


def ball(segments: int) -> tuple[np.ndarray, np.ndarray]:
    """A closed mesh of a bumpy ball."""
    rings = segments // 2
    vertices = [[0.0, 0.0, 1.0]]
    for i in range(1, rings):
        for j in range(segments):
            t, p = np.pi * i / rings, 2.0 * np.pi * j / segments
            r = 1.0 + 0.1 * np.sin(5.0 * t) * np.cos(4.0 * p)
            vertices.append([r * np.sin(t) * np.cos(p), r * np.sin(t) * np.sin(p), r * np.cos(t)])
    vertices.append([0.0, 0.0, -1.0])
    faces = []
    for j in range(segments):
        k, last = (j + 1) % segments, 1 + (rings - 2) * segments
        faces += [[0, 1 + j, 1 + k], [len(vertices) - 1, last + k, last + j]]
        for i in range(rings - 2):
            a, b = 1 + i * segments, 1 + (i + 1) * segments
            faces += [[a + j, b + j, b + k], [a + j, b + k, a + k]]
    return np.array(vertices), np.array(faces)


HULL = np.random.default_rng(1).normal(size=(60, 3))
HULL /= np.linalg.norm(HULL, axis=1)[:, None]
MESH = ball(32)
BOX, CAPSULE, BALL, CYLINDER = (1.0, 1.4, 1.8), (0.4, 1.2), 0.7, (0.5, 1.5)

# The pairs: two kinds each, and how far poses spread so that about half of them overlap.
PAIRS = {
    "sphere, sphere": ("sphere", "sphere", 1.1),
    "box, box": ("box", "box", 1.6),
    "capsule, box": ("capsule", "box", 1.4),
    "cylinder, box": ("cylinder", "box", 1.4),
    "hull of 60, hull of 60": ("hull", "hull", 1.5),
    "mesh, mesh (1,920 triangles each)": ("mesh", "mesh", 1.7),
}


def poses(count: int, spread: float, seed: int) -> np.ndarray:
    """Rigid matrices."""
    rng = np.random.default_rng(seed)
    found = np.tile(np.eye(4), (count, 1, 1))
    for matrix in found:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        q *= np.sign(np.diag(r))
        matrix[:3, :3] = q if np.linalg.det(q) > 0 else -q
        matrix[:3, 3] = rng.uniform(-spread, spread, 3)
    return found


class Package:
    """A package: how it makes a shape and a pose, and how it answers the two questions."""

    name = ""
    version = ""

    def shape(self, kind: str) -> Any:
        raise NotImplementedError

    def pose(self, matrix: np.ndarray) -> Any:
        raise NotImplementedError

    def distance(self, a: Any, b: Any) -> Callable[[Any], float]:
        raise NotImplementedError

    def collide(self, a: Any, b: Any) -> Callable[[Any], bool]:
        raise NotImplementedError


class Ours(Package):
    name, version = "Clearance", metadata.version("clearance")

    def shape(self, kind: str) -> Shape:
        return {
            "sphere": lambda: Shape.sphere(radius=BALL),
            "box": lambda: Shape.box(size=BOX),
            "capsule": lambda: Shape.capsule(radius=CAPSULE[0], length=CAPSULE[1]),
            "cylinder": lambda: Shape.cylinder(radius=CYLINDER[0], length=CYLINDER[1]),
            "hull": lambda: Shape.hull(HULL),
            "mesh": lambda: Shape.mesh(*MESH),
        }[kind]()

    def pose(self, matrix: np.ndarray) -> clearance.Pose:
        return clearance.Pose.from_matrix(matrix)

    def distance(self, a: Any, b: Any) -> Callable[[Any], float]:
        distance = clearance.distance
        return lambda pose: distance(a, b, pose).distance

    def collide(self, a: Any, b: Any) -> Callable[[Any], bool]:
        intersects = clearance.intersects
        return lambda pose: intersects(a, b, pose)


class Fcl(Package):
    name, version = "python-fcl", ""

    def __init__(self) -> None:
        self.fcl = import_module("fcl")
        self.version = metadata.version("python-fcl")

    def shape(self, kind: str) -> Any:
        fcl = self.fcl
        if kind == "mesh":
            model = fcl.BVHModel()
            model.beginModel(len(MESH[0]), len(MESH[1]))
            model.addSubModel(*MESH)
            model.endModel()
            return model
        if kind == "hull":
            faces = Shape.hull(HULL)
            vertices, triangles = faces_of(faces)
            flat = np.concatenate([np.concatenate([[3], triangle]) for triangle in triangles])
            return fcl.Convex(vertices, len(triangles), flat)
        return {
            "sphere": lambda: fcl.Sphere(BALL),
            "box": lambda: fcl.Box(*BOX),
            "capsule": lambda: fcl.Capsule(*CAPSULE),
            "cylinder": lambda: fcl.Cylinder(*CYLINDER),
        }[kind]()

    def pose(self, matrix: np.ndarray) -> Any:
        return self.fcl.Transform(matrix[:3, :3], matrix[:3, 3])

    def objects(self, a: Any, b: Any) -> tuple[Any, Any]:
        fcl = self.fcl
        return fcl.CollisionObject(a, fcl.Transform()), fcl.CollisionObject(b, fcl.Transform())

    def distance(self, a: Any, b: Any) -> Callable[[Any], float]:
        fcl, (a, b) = self.fcl, self.objects(a, b)
        request = fcl.DistanceRequest()

        def ask(pose: Any) -> float:
            b.setTransform(pose)
            return fcl.distance(a, b, request, fcl.DistanceResult())

        return ask

    def collide(self, a: Any, b: Any) -> Callable[[Any], bool]:
        fcl, (a, b) = self.fcl, self.objects(a, b)
        request = fcl.CollisionRequest()

        def ask(pose: Any) -> bool:
            b.setTransform(pose)
            return fcl.collide(a, b, request, fcl.CollisionResult()) > 0

        return ask


def faces_of(hull: Shape) -> tuple[np.ndarray, np.ndarray]:
    """The triangles of a hull of points in general position, outward: no other vertex is outside of them."""
    points = hull.vertices
    assert points is not None
    found = []
    for i in range(len(points)):
        for j in range(i):
            for k in range(j):
                normal = np.cross(points[j] - points[i], points[k] - points[i])
                heights = (points - points[i]) @ normal
                others = np.delete(heights, [i, j, k])
                if np.all(others < 0.0):
                    found.append([i, j, k])
                elif np.all(others > 0.0):
                    found.append([i, k, j])
    return points, np.array(found)


class Coal(Package):
    name = "Coal"

    def __init__(self) -> None:
        self.coal = import_module("coal")
        self.version = metadata.version("coal")

    def shape(self, kind: str) -> Any:
        coal = self.coal
        if kind in ("mesh", "hull"):
            vertices, faces = MESH if kind == "mesh" else faces_of(Shape.hull(HULL))
            model = coal.BVHModelOBBRSS()
            model.beginModel(len(faces), len(vertices))
            model.addVertices(vertices)
            for face in faces:
                model.addTriangle(*(vertices[corner] for corner in face))
            model.endModel()
            if kind == "mesh":
                return model
            model.buildConvexHull(True, "Qt")
            return model.convex
        return {
            "sphere": lambda: coal.Sphere(BALL),
            "box": lambda: coal.Box(*BOX),
            "capsule": lambda: coal.Capsule(*CAPSULE),
            "cylinder": lambda: coal.Cylinder(*CYLINDER),
        }[kind]()

    def pose(self, matrix: np.ndarray) -> Any:
        return self.coal.Transform3s(matrix[:3, :3], matrix[:3, 3])

    def distance(self, a: Any, b: Any) -> Callable[[Any], float]:
        coal = self.coal
        request, result, still = coal.DistanceRequest(), coal.DistanceResult(), coal.Transform3s()

        def ask(pose: Any) -> float:
            result.clear()
            return coal.distance(a, still, b, pose, request, result)

        return ask

    def collide(self, a: Any, b: Any) -> Callable[[Any], bool]:
        coal = self.coal
        request, result, still = coal.CollisionRequest(), coal.CollisionResult(), coal.Transform3s()

        def ask(pose: Any) -> bool:
            result.clear()
            return coal.collide(a, still, b, pose, request, result) > 0

        return ask


class Trimesh(Package):
    """Its collision manager, which asks python-fcl; shapes are meshes, so only those of flat faces are the same bodies."""

    name = "trimesh"

    def __init__(self) -> None:
        self.trimesh = import_module("trimesh")
        import_module("fcl")
        self.version = metadata.version("trimesh")

    def shape(self, kind: str) -> Any:
        make = {
            "box": lambda: self.trimesh.creation.box(BOX),
            "hull": lambda: self.trimesh.Trimesh(*faces_of(Shape.hull(HULL)), process=False),
            "mesh": lambda: self.trimesh.Trimesh(*MESH, process=False),
        }
        return make[kind]()

    def pose(self, matrix: np.ndarray) -> np.ndarray:
        return matrix

    def manager(self, a: Any) -> Any:
        manager = self.trimesh.collision.CollisionManager()
        manager.add_object("a", a)
        return manager

    def distance(self, a: Any, b: Any) -> Callable[[Any], float]:
        manager = self.manager(a)
        return lambda pose: manager.min_distance_single(b, pose)

    def collide(self, a: Any, b: Any) -> Callable[[Any], bool]:
        manager = self.manager(a)
        return lambda pose: bool(manager.in_collision_single(b, pose))


def packages() -> Iterator[Package]:
    """The installed packages."""
    yield Ours()
    for kind in (Fcl, Coal, Trimesh):
        try:
            yield kind()
        except ImportError as error:
            print(f"{kind.name or kind.__name__} is left out: {error}")


def blocks(ask: Callable[[Any], Any], at: list[Any]) -> np.ndarray:
    """Seconds for each block of poses."""
    found = []
    for start in range(0, len(at), BLOCK):
        block = at[start : start + BLOCK]
        before = time.perf_counter()
        for pose in block:
            ask(pose)
        found.append(time.perf_counter() - before)
    return np.array(found)


def is_wrong(question: str, answer: float | bool, lower: float, upper: float) -> bool:
    """Does an answer contradict the bracket? A distance of bodies that overlap may be any number that is not positive."""
    slack = RIGHT * 3.0
    if question == "collide":
        return bool(answer) if lower > slack else not answer and upper < -slack
    if lower > 0.0:
        return not lower - slack <= answer <= upper + slack
    return upper < -slack and answer > slack


def rows(found: list[Package], count: int, rounds: int) -> Iterator[str]:
    cores = os.cpu_count() or 1
    names = [f"{package.name} {package.version}" for package in found]
    ratios = ["single", "batch, one core", f"batch, {cores} cores"]
    yield f"| pair, question | {' | '.join(names)} | {' | '.join(ratios)} |"
    yield f"|---|{'---:|' * (len(names) + len(ratios))}"
    wrong = {package.name: 0 for package in found}
    asked = dict(wrong)
    for seed, (title, (kind_a, kind_b, spread)) in enumerate(PAIRS.items()):
        at = poses(max(count // 10, 50) if kind_a == "mesh" else count, spread, seed)
        ours = [Ours().shape(kind) for kind in (kind_a, kind_b)]
        truth = distance_batch(*ours, at, full=True)
        for question in ("distance", "collide"):
            timed = at[truth.lower > 0.0] if question == "distance" else at
            asks: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {}
            for package in found:
                try:
                    a, b = package.shape(kind_a), package.shape(kind_b)
                except KeyError:
                    continue
                ask = package.distance(a, b) if question == "distance" else package.collide(a, b)
                answers = [ask(package.pose(matrix)) for matrix in at]
                asked[package.name] += len(at)
                wrong[package.name] += sum(
                    is_wrong(question, answer, lower, upper) for answer, lower, upper in zip(answers, truth.lower, truth.upper)
                )
                asks[package.name] = (ask, [package.pose(matrix) for matrix in timed])
            batch = distance_batch if question == "distance" else intersects_batch
            # Translations and quaternions: parsed as quickly as the peers' own objects are read.
            many = np.array([np.r_[pose.translation, pose.quaternion_xyzw] for pose in asks["Clearance"][1]])
            once = np.inf
            for _ in range(10):
                before = time.perf_counter()
                batch(*ours, many, threads=1)
                once = min(once, time.perf_counter() - before)
            # About a millisecond: the cost of a call is spread over many queries, and other programs spoil few.
            many = np.tile(many, (int(np.clip(1e-3 / once, 1, 50)), 1))
            singles = {name: np.inf * np.ones(-(-len(timed) // BLOCK)) for name in asks}
            batches = {1: np.inf, cores: np.inf}
            for _ in range(rounds):
                for name, (ask, own) in asks.items():
                    singles[name] = np.minimum(singles[name], blocks(ask, own))
                for threads in batches:
                    for _ in range(3):
                        before = time.perf_counter()
                        batch(*ours, many, threads=threads)
                        batches[threads] = min(batches[threads], time.perf_counter() - before)
            times = {name: block.sum() / len(timed) for name, block in singles.items()}
            peers = [seconds for name, seconds in times.items() if name != "Clearance"]
            cells = [f"{1e6 * times[package.name]:.2f}" if package.name in times else "–" for package in found]
            own_times = [times["Clearance"], *(seconds / len(many) for seconds in batches.values())]
            cells += [f"{min(peers) / seconds:.1f}" if peers else "–" for seconds in own_times]
            yield f"| {title}, {question} | {' | '.join(cells)} |"
    cells = [f"{wrong[package.name]} of {asked[package.name]}" for package in found]
    yield f"| wrong answers | {' | '.join(cells)} | | | |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=1000, help="poses of each pair; a tenth for meshes")
    parser.add_argument("--rounds", type=int, default=15, help="the least time of this many rounds counts")
    parser.add_argument("--markdown", metavar="FILE", help="write the table into the section of this file")
    arguments = parser.parse_args()
    lines = []
    for line in rows(list(packages()), arguments.poses, arguments.rounds):
        print(line, flush=True)
        lines.append(line)
    if arguments.markdown:
        begin, end = "<!-- ANCHOR: python -->", "<!-- ANCHOR_END: python -->"
        with open(arguments.markdown, encoding="utf-8") as file:
            text = file.read()
        before, rest = text.split(begin)
        section = rest.split(end)[0]
        head = section.split("\n| pair, question |")[0].rstrip()
        body = f"{head}\n\n" + "\n".join(lines) + "\n\n"
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write(before + begin + body + end + rest.split(end, 1)[1])


if __name__ == "__main__":
    main()
