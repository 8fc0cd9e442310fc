"""MotionBenchMaker's problems: start and goal judged exactly, planned with proofs, and edges beside Coal with Pinocchio at samples.

    python -m venv v && v/bin/pip install ./crates/clearance-py pyyaml pin coal
    v/bin/python bench/motion_bench_maker.py FOLDER [--robots panda,ur5] [--every 10] [--seconds 2] [--edges 3]

FOLDER gets the source distribution of vamp-planner 0.6.4 (65 MB, Apache-2.0), whose hash is checked. Nothing of it is part of this repository. Obstacles are those of the files: boxes and
cylinders. Pairs of links that the SRDF or the allowed-collision matrix of a problem leave out are not checked by either program. Joints that a request does not name are locked where its
start state has them. Times are of one thread.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tarfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from clearance import Pose, Robot, Shape, World

NAME = "vamp_planner-0.6.4"
URL = f"https://files.pythonhosted.org/packages/f2/e3/df472573bab9194d796cf6a156edcf95089c14e5c932b2874cdef0d60a8b/{NAME}.tar.gz"
SHA256 = "d3150c6b67ff941af9ad56480b31d3fb73b12211ea21dc684f7737b059f6daba"
ROBOTS = ["panda", "ur5", "fetch", "baxter"]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def fetched(folder: Path) -> Path:
    """The resources of the source distribution."""
    folder.mkdir(parents=True, exist_ok=True)
    archive, resources = folder / f"{NAME}.tar.gz", folder / NAME / "resources"
    if not archive.exists():
        urllib.request.urlretrieve(URL, archive)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{archive} has another hash; remove it")
    if not resources.exists():
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    for robot in ROBOTS:
        if not (resources / robot / "problems").exists():
            with tarfile.open(resources / robot / "problems.tar.bz2") as opened:
                opened.extractall(resources / robot, filter="data")
    return resources


def pose(value: dict[str, Any] | None) -> Pose:
    if value is None:
        return Pose()
    return Pose(value["position"], quaternion_xyzw=value["orientation"])


def obstacles(scene: dict[str, Any]) -> list[tuple[str, dict[str, Any], Pose]]:
    """Names, primitives and poses of the obstacles."""
    found = []
    for item in scene["world"]["collision_objects"]:
        for number, (primitive, at) in enumerate(zip(item["primitives"], item["primitive_poses"])):
            found.append((f"{item['id']} {number}", primitive, pose(item.get("pose")) @ pose(at)))
    return found


def shape(primitive: dict[str, Any]) -> Shape:
    sizes = primitive["dimensions"]
    match primitive["type"]:
        case "box":
            return Shape.box(size=sizes)
        case "cylinder":
            return Shape.cylinder(radius=sizes[1], length=sizes[0])
        case "sphere":
            return Shape.sphere(radius=sizes[0])
    raise ValueError(f"{primitive['type']} is no primitive that is known")


class Problem:
    """A problem of the files, with the robot as it is locked there."""

    def __init__(self, robots: Robots, scene: Path, request: Path) -> None:
        self.name = f"{scene.parent.name} {scene.stem[5:]}"
        self.scene = yaml.load(scene.read_text(), LOADER)
        asked = yaml.load(request.read_text(), LOADER)
        state = asked["start_state"]["joint_state"]
        start = dict(zip(state["name"], state["position"]))
        goal = {item["joint_name"]: item["position"] for item in asked["goal_constraints"][0]["joint_constraints"]}
        matrix = self.scene["allowed_collision_matrix"]
        names, rows = matrix["entry_names"], matrix["entry_values"]
        allowed = {(names[i], names[j]) for i in range(len(names)) for j in range(i) if rows[i][j]}
        whole = robots.whole
        locked = {name: float(start.get(name, 0.0)) for name in whole.joint_names if name not in goal}
        self.robot = robots.get(allowed, locked)
        self.locked, self.allowed = locked, allowed
        self.start = np.array([start[name] for name in self.robot.joint_names], dtype=float)
        self.goal = np.array([goal[name] for name in self.robot.joint_names], dtype=float)
        self.obstacles = obstacles(self.scene)
        self.world = World()
        for number, (name, primitive, at) in enumerate(self.obstacles):
            self.world.add(f"{number}: {name}", shape(primitive), at, fixed=True)


class Robots:
    """A robot with pairs left out and joints locked in several ways, each made once."""

    def __init__(self, folder: Path, name: str) -> None:
        self.urdf, self.folder = folder / name / f"{name}.urdf", folder / name
        self.whole = Robot.load(self.urdf, folder / name / f"{name}.srdf", [folder / name])
        self.made: dict[Any, Robot] = {}

    def get(self, allowed: set[tuple[str, str]], locked: dict[str, float]) -> Robot:
        key = (frozenset(allowed), tuple(locked.items()))
        if key not in self.made:
            links = set(self.whole.link_names)
            pairs = [pair for pair in allowed if set(pair) <= links]
            self.made[key] = self.whole.without_pairs(pairs).locked(locked)
        return self.made[key]


class Peer:
    """Coal on Pinocchio's kinematics, with the same pairs and obstacles as a problem."""

    def __init__(self, robots: Robots, problem: Problem) -> None:
        import coal
        import pinocchio

        self.pin = pinocchio
        self.model = pinocchio.buildModelFromUrdf(str(robots.urdf), mimic=True)
        self.geometry = pinocchio.buildGeomFromUrdf(
            self.model, str(robots.urdf), pinocchio.GeometryType.COLLISION, package_dirs=[str(robots.folder)]
        )
        of_link = defaultdict(list)
        for number, item in enumerate(self.geometry.geometryObjects):
            of_link[self.model.frames[item.parentFrame].name].append(number)
        pairs = [(a, b) for one, other in problem.robot.checked_pairs for a in of_link[one] for b in of_link[other]]
        links = [number for numbers in of_link.values() for number in numbers]
        for name, primitive, at in problem.obstacles:
            sizes = primitive["dimensions"]
            made = coal.Box(*sizes) if primitive["type"] == "box" else coal.Cylinder(sizes[1], sizes[0])
            placed = pinocchio.SE3(np.asarray(at))
            number = self.geometry.addGeometryObject(pinocchio.GeometryObject(name, 0, placed, made))
            pairs += [(link, number) for link in links]
        for a, b in pairs:
            self.geometry.addCollisionPair(pinocchio.CollisionPair(min(a, b), max(a, b)))
        self.data, self.geometry_data = self.model.createData(), self.geometry.createData()
        neutral = pinocchio.neutral(self.model)
        self.places = []
        for name, value in problem.locked.items():
            self.put(neutral, name, value)
        self.neutral, self.names = neutral, problem.robot.joint_names

    def put(self, q: np.ndarray, name: str, value: float) -> None:
        joint = self.model.joints[self.model.getJointId(name)]
        # Pinocchio has the cosine and the sine of a joint without limits.
        q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]

    def collides(self, values: np.ndarray) -> bool:
        q = self.neutral.copy()
        for name, value in zip(self.names, values):
            self.put(q, name, value)
        return bool(self.pin.computeCollisions(self.model, self.data, self.geometry, self.geometry_data, q, True))

    def edge_is_free(self, start: np.ndarray, end: np.ndarray, degrees: float) -> bool:
        """Whether no sample of an edge collides; between two samples no joint turns by more than that."""
        count = max(1, int(np.ceil(np.abs(end - start).max() / np.radians(degrees))))
        return not any(self.collides(start + share * (end - start)) for share in np.linspace(0.0, 1.0, count + 1))


def judge(robot: Robot, q: np.ndarray, world: World) -> str:
    found = robot.clearance(q, world)
    if found is None or found.lower > 0.0:
        return "valid"
    return "invalid" if found.upper < 0.0 else "unknown"


def quantiles(times: list[float]) -> str:
    return " ".join(f"{1e6 * np.quantile(times, share):.1f}" for share in (0.5, 0.95)) if times else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--every", type=int, default=10, help="plan every N-th problem")
    parser.add_argument("--seconds", type=float, default=2.0, help="the most time for a plan")
    parser.add_argument("--edges", type=int, default=3, help="edges of each planned problem beside Coal; 0 for none")
    parser.add_argument("--plain", action="store_true", help="print the problems for the example `problems` of clearance-robot, and nothing else")
    parser.add_argument("--limit", type=int, help="the most problems of a robot")
    arguments = parser.parse_args()
    resources = fetched(arguments.folder)
    for name in arguments.robots.split(","):
        (plain if arguments.plain else run)(resources, name, arguments)


def problems(robots: Robots, name: str, limit: int | None) -> Iterator[tuple[str, Problem]]:
    """The problems of a robot with their scenarios."""
    for path in sorted((robots.folder / "problems").glob("*/scene*.yaml"))[:limit]:
        yield path.parent.name, Problem(robots, path, path.with_name(path.name.replace("scene", "request")))


def plain(resources: Path, name: str, arguments: argparse.Namespace) -> None:
    """Prints problems, a fact in each line."""
    robots = Robots(resources, name)
    print("robot", robots.urdf, robots.folder / f"{name}.srdf", robots.folder)
    for _, problem in problems(robots, name, arguments.limit):
        print("problem", problem.name.replace(" ", "_"))
        for joint, value in problem.locked.items():
            print("lock", joint, repr(value))
        for one, other in sorted(problem.allowed):
            print("disable", one, other)
        for _, primitive, at in problem.obstacles:
            sizes = primitive["dimensions"]
            sizes = [sizes[1], sizes[0]] if primitive["type"] == "cylinder" else sizes
            print(primitive["type"], *map(float, sizes), *at.translation.tolist(), *at.quaternion_xyzw.tolist())
        print("ends", *problem.start.tolist(), *problem.goal.tolist())
        print("end")


def run(resources: Path, name: str, arguments: argparse.Namespace) -> None:
    robots = Robots(resources, name)
    counts: dict[str, int] = defaultdict(int)
    by_scenario: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    times: dict[str, list[float]] = defaultdict(list)
    wrong = []
    for number, (scenario, problem) in enumerate(problems(robots, name, arguments.limit)):
        robot, world = problem.robot, problem.world
        ends = [judge(robot, q, world) for q in (problem.start, problem.goal)]
        state = "valid" if ends == ["valid"] * 2 else "invalid" if "invalid" in ends else "unknown"
        counts[state] += 1
        counts[f"start {ends[0]}"] += 1
        counts[f"goal {ends[1]}"] += 1
        by_scenario[scenario][0] += state == "valid"
        by_scenario[scenario][1] += 1
        if number % arguments.every or state != "valid":
            continue
        begun = time.perf_counter()
        plan = robot.plan(problem.start, problem.goal, world, seconds=arguments.seconds)
        times["plan"].append(time.perf_counter() - begun)
        counts["planned"] += 1
        counts["solved"] += plan.found
        if plan.found:
            counts["proved"] += robot.path(plan.waypoints, world).free is True
        rng = np.random.default_rng(number)
        q = rng.uniform(-1.0, 1.0, (512, robot.dof)) * 0.5 + plan_points(plan, problem, rng)
        begun = time.perf_counter()
        hits = robot.in_collision_batch(q, world, threads=1)
        times["configuration"].append((time.perf_counter() - begun) / len(q))
        free = q[~hits]
        counts["configurations"] += len(q)
        counts["configurations free"] += len(free)
        if len(free) < 2:
            continue
        ends_of = free[rng.permutation(len(free))]
        starts, ends_ = ends_of[:-1], ends_of[:-1] + edge_steps(ends_of)
        begun = time.perf_counter()
        edges = robot.edge_batch(starts, ends_, world, threads=1)
        each = (time.perf_counter() - begun) / len(starts)
        times["edge"].append(each)
        counts["edges"] += len(starts)
        counts["edges free"] += int(edges.free.sum())
        counts["edges contact"] += int(np.isfinite(edges.contact_at).sum())
        if not arguments.edges:
            continue
        peer = Peer(robots, problem)
        for at in range(min(arguments.edges, len(starts))):
            begun = time.perf_counter()
            one = robot.edge(starts[at], ends_[at], world)
            times["edge, single call"].append(time.perf_counter() - begun)
            counts["beside Coal"] += 1
            for degrees in (1.0, 0.1):
                begun = time.perf_counter()
                theirs = peer.edge_is_free(starts[at], ends_[at], degrees)
                times[f"Coal at {degrees} degrees"].append(time.perf_counter() - begun)
                if one.free is False and theirs:
                    counts[f"contacts missed at {degrees} degrees"] += 1
                if one.free is True and not theirs:
                    wrong.append((problem.name, starts[at].tolist(), ends_[at].tolist()))
    print(f"\n{name}: {dict(counts)}")
    print("  scenarios: " + ", ".join(f"{key} {valid}/{total}" for key, (valid, total) in sorted(by_scenario.items())))
    for key, values in times.items():
        print(f"  {key}: {quantiles(values)} us (median, 95 %)")
    for item in wrong:
        print(f"  proved free, but Coal finds a contact: {json.dumps(item)}")


def plan_points(plan: Any, problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """512 configurations of the path, or of the straight edge where there is none."""
    points = plan.waypoints if plan.found else np.stack([problem.start, problem.goal])
    edge = rng.integers(0, len(points) - 1, 512)
    share = rng.uniform(size=(512, 1))
    return points[edge] + share * (points[edge + 1] - points[edge])


def edge_steps(points: np.ndarray) -> np.ndarray:
    """Steps toward the next point, half a radian long at most."""
    steps = points[1:] - points[:-1]
    length = np.linalg.norm(steps, axis=1, keepdims=True)
    return steps * np.minimum(1.0, 0.5 / np.maximum(length, 1e-12))


if __name__ == "__main__":
    main()
