"""Robots: configurations, batches, edges, paths and plans, against closed forms and against each other."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from test_errors import ANYTHING, FUZZ, refused_or

from clearance import Pose, Robot, Shape, World

NAN = math.nan

#: Two bars of length 1 that turn about z.
ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule radius="0.05" length="0.8"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule radius="0.05" length="0.8"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-3" upper="2"/></joint>
<joint name="elbow" type="revolute"><origin xyz="1 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5"/></joint>
<joint name="wrist" type="fixed"><origin xyz="1 0 0"/><parent link="lower"/><child link="hand"/></joint></robot>"""


def hand(q: np.ndarray) -> np.ndarray:
    """Where the hand is."""
    one, both = q[..., 0], q[..., 0] + q[..., 1]
    return np.stack([np.cos(one) + np.cos(both), np.sin(one) + np.sin(both), 0.0 * one], axis=-1)


def ball(x: float, y: float, radius: float = 0.2) -> World:
    world = World()
    world.add("ball", Shape.sphere(radius=radius), Pose([x, y, 0.0]))
    return world


def test_a_robot_says_what_it_is():
    robot = Robot.parse(ARM)
    assert (robot.name, robot.dof, robot.joint_names) == ("arm", 2, ["shoulder", "elbow"])
    assert robot.link_names == ["base", "upper", "lower", "hand"]
    assert robot.lower_limits.tolist() == [-3.0, -2.5] and robot.upper_limits.tolist() == [2.0, 2.5]
    assert robot.checked_pairs == [("upper", "hand")] and robot.notes == []
    assert robot.outside_limits([2.5, 0.0]) == ["shoulder"] and robot.outside_limits([0.0, 0.0]) == []
    assert repr(robot) == '<Robot "arm": 2 joints, 4 links>'
    q = robot.random_configuration(7)
    assert np.array_equal(q, robot.random_configuration(7)) and robot.outside_limits(q) == []
    assert '<disable_collisions link1="upper" link2="lower" reason="Adjacent"/>' in robot.propose_srdf(10)


def test_link_poses_are_those_of_the_chain():
    robot = Robot.parse(ARM)
    q = np.random.default_rng(1).uniform(-2.0, 2.0, (3, 4, 2))
    poses = robot.link_poses(q)
    assert poses.shape == (3, 4, 4, 4, 4)
    assert np.allclose(poses[..., 3, :3, 3], hand(q), atol=1e-14)
    assert np.allclose(robot.at([1.0, 2.0, 3.0, 0, 0, 0, 1]).link_poses([0.0, 0.0])[3, :3, 3], [3.0, 2.0, 3.0])


def test_the_clearance_to_a_ball_is_that_of_the_hand():
    robot, world = Robot.parse(ARM).without_pairs([("upper", "hand")]), ball(3.0, 0.0)
    rng = np.random.default_rng(2)
    for q in rng.uniform(-0.5, 0.5, (50, 2)):
        truth = np.linalg.norm(hand(q) - [3.0, 0.0, 0.0]) - 0.3
        found = robot.clearance(q, world)
        assert found.links == ("ball", "hand") and found.lower <= found.distance <= found.upper
        assert found.lower - 1e-13 <= truth <= found.upper + 1e-13 and found.upper - found.lower < 1e-12
        assert found.is_apart and not robot.in_collision(q, world)
        step = found.point_b - found.point_a
        assert np.allclose(step, found.distance * found.normal, atol=1e-12)
        again, gradient = robot.clearance_and_gradient(q, world)
        assert again == found
        for joint in range(2):
            moved = [robot.clearance(q + h * np.eye(2)[joint], world).distance for h in (1e-6, -1e-6)]
            assert abs((moved[0] - moved[1]) / 2e-6 - gradient[joint]) < 1e-6


def test_a_robot_notices_that_its_world_has_changed():
    robot, world = Robot.parse(ARM), ball(3.0, 0.0)
    assert robot.clearance([0.0, 0.0], world).distance == pytest.approx(0.7)
    world.set_pose("ball", Pose([2.2, 0.0, 0.0]))
    assert robot.in_collision([0.0, 0.0], world) and robot.clearance([0.0, 0.0], world).distance == pytest.approx(-0.1)
    # Fully folded the hand is in the upper bar; half an arm's length away nothing is near.
    assert not robot.in_collision([0.0, 0.0]) and robot.in_collision([0.0, math.pi])
    world.remove("ball")
    world.add("box", Shape.box(size=[0.1, 0.1, 0.1]), Pose([2.5, 0.0, 0.0]))
    assert robot.clearance([0.0, 0.0], world).links == ("box", "hand")
    assert robot.clearance([0.0, 0.0], world.copy()).links == ("box", "hand")
    assert Robot.parse('<robot><link name="only"/></robot>').clearance([]) is None
    assert Robot.parse('<robot><link name="only"/></robot>').clearance_batch(np.zeros((3, 0))).tolist() == [math.inf] * 3


def test_batches_are_single_queries_for_any_leading_shape_and_number_of_threads():
    robot, world = Robot.parse(ARM), ball(1.5, 0.8)
    q = np.random.default_rng(3).uniform(-2.4, 2.0, (5, 60, 2))
    full = robot.clearance_batch(q, world, full=True)
    assert full.distance.shape == (5, 60) and full.links.shape == (5, 60, 2)
    assert full.normal.shape == (5, 60, 3) and full.gradient.shape == (5, 60, 2)
    assert np.array_equal(robot.clearance_batch(q, world), full.distance)
    touches = robot.in_collision_batch(q, world)
    assert touches.dtype == np.bool_ and 0 < touches.sum() < touches.size
    for at in np.ndindex(5, 60):
        one = robot.clearance(q[at], world)
        assert max(one.lower, full.lower[at]) <= min(one.upper, full.upper[at])
        assert tuple(robot.name_of(int(number), world) for number in full.links[at]) == one.links or abs(one.distance - full.distance[at]) < 1e-9
        assert touches[at] == robot.in_collision(q[at], world)
    for threads in (1, 3):
        again = robot.clearance_batch(q, world, full=True, threads=threads)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(full, again))
    for lead in [(), (0,), (2, 0), (1,)]:
        assert robot.clearance_batch(np.zeros((*lead, 2))).shape == lead
        assert robot.clearance_batch(np.zeros((*lead, 2)), full=True).point_a.shape == (*lead, 3)
        assert robot.in_collision_batch(np.zeros((*lead, 2))).shape == lead


def test_an_edge_meets_a_ball_at_the_angle_of_the_law_of_cosines():
    robot, world = Robot.parse(ARM), ball(0.0, 2.2)
    # The hand is on a circle of radius 2 about the base, the ball 2.2 from it, and their radii are 0.3 together.
    between = math.acos((4.0 + 2.2**2 - 0.3**2) / (2 * 2.0 * 2.2))
    truth = (math.pi / 2 - between) / 2.0
    edge = robot.edge([0.0, 0.0], [2.0, 0.0], world)
    assert edge.free is False and edge.undecided is None and edge.lower == 0.0
    assert edge.contact.lower <= truth <= edge.contact.upper < edge.contact.lower + 1e-6
    assert edge.contact.links == ("ball", "hand") and edge.free_until == edge.contact.lower
    wide = robot.edge([0.0, 0.0], [2.0, 0.0], world, resolution=0.1)
    assert 0.0 < wide.contact.upper - wide.contact.lower <= 0.1 and wide.tests < edge.tests
    free = robot.edge([0.0, 0.0], [2.0 * (truth - 1e-3), 0.0], world)
    assert free.free is True and 0.0 < free.lower <= free.upper < 0.01 and free.contact is None and free.free_until == 1.0
    assert robot.edge([0.0, 0.0], [2.0, 0.0], world, tests=1).free in (None, False)
    # Half an arm above a ball that the hand grazes: neither is proved.
    graze = robot.edge([0.0, 0.0], [math.pi, 0.0], ball(0.0, 2.3))
    assert graze.free is None and graze.undecided == ("ball", "hand") and 0.49 < graze.free_until <= 0.5


def test_edge_batches_and_paths_are_single_edges():
    robot, world = Robot.parse(ARM), ball(1.5, 0.8)
    rng = np.random.default_rng(4)
    q0, q1 = rng.uniform(-2.0, 2.0, (2, 80, 2))
    found = robot.edge_batch(q0, q1, world)
    fan = robot.edge_batch(q0[0], q1, world)
    for i in range(80):
        one = robot.edge(q0[i], q1[i], world)
        assert found.free[i] == (one.free is True)
        assert found.free_until[i] == pytest.approx(one.free_until, abs=2e-6)
        if one.contact is not None:
            assert found.contact_at[i] == pytest.approx(one.contact.upper, abs=2e-6)
        assert fan.free[i] == (robot.edge(q0[0], q1[i], world).free is True)
        if one.free:
            samples = q0[i] + np.linspace(0.0, 1.0, 200)[:, None] * (q1[i] - q0[i])
            assert robot.clearance_batch(samples, world).min() >= max(one.lower, found.lower[i]) - 1e-12
    assert 5 < found.free.sum() < 75
    assert robot.edge_batch(q1.reshape(4, 20, 2), q0[0], world).free.shape == (4, 20)
    path = robot.path(q0[found.free][:1], world)
    assert path.free is True and len(path.edges) == 1
    path = robot.path(np.stack([q0, q1], axis=1).reshape(-1, 2), world)
    assert path.free is False and path.edges[-1].free is False and all(edge.free for edge in path.edges[:-1])
    assert robot.path(np.zeros((0, 2))).free is True


def test_attached_objects_poses_and_pairs_survive_pickling():
    robot = Robot.parse(ARM)
    tool = Shape.capsule(radius=0.02, length=0.5, axis="x")
    held = robot.attached("tool", tool, link="hand", pose=[0.35, 0, 0, 0, 0, 0, 1], touching=["lower"])
    assert held.link_names[-1] == "tool" and robot.link_names[-1] == "hand"
    assert ("upper", "tool") in held.checked_pairs and ("lower", "tool") not in held.checked_pairs
    world = ball(3.0, 0.0)
    assert held.clearance([0.0, 0.0], world).links == ("ball", "tool")
    assert held.clearance([0.0, 0.0], world).distance == pytest.approx(3.0 - 0.2 - 2.62)
    changed = held.at(Pose([0.0, 0.0, 1.0])).without_pairs([("upper", "hand"), ("upper", "tool")])
    assert changed.checked_pairs == []
    again = pickle.loads(pickle.dumps(changed))
    assert again.checked_pairs == [] and again.link_names == changed.link_names
    q = [0.3, 0.4]
    assert again.clearance(q, world) == changed.clearance(q, world)
    assert np.array_equal(again.link_poses(q), changed.link_poses(q))
    for answer in (held.clearance(q, world), robot.edge(q, [1.0, 1.0], world), robot.path([q, [1.0, 1.0]], world), robot.plan(q, [1.0, 1.0], world)):
        assert pickle.loads(pickle.dumps(answer)).__reduce__()[1][0][0] == answer.__reduce__()[1][0][0]
        assert repr(answer).startswith(type(answer).__name__ + "(")


def test_a_locked_joint_is_no_longer_part_of_configurations():
    robot, world = Robot.parse(ARM), ball(1.5, 0.8)
    locked = robot.locked({"shoulder": 0.25})
    assert locked.joint_names == ["elbow"] and locked.checked_pairs == robot.checked_pairs
    for elbow in (-1.0, 0.5, 2.0):
        one, other = locked.clearance([elbow], world), robot.clearance([0.25, elbow], world)
        assert max(one.lower, other.lower) <= min(one.upper, other.upper) and one.links == other.links
    again = pickle.loads(pickle.dumps(locked))
    assert again.joint_names == ["elbow"] and again.clearance([0.5]) == locked.clearance([0.5])
    still = robot.locked({"shoulder": 0.25, "elbow": 1.0})
    assert still.dof == 0 and still.checked_pairs == [] and still.clearance([], world).distance == pytest.approx(robot.clearance([0.25, 1.0], world).distance)


def test_robots_come_from_files_with_packages(tmp_path):
    (tmp_path / "things" / "meshes").mkdir(parents=True)
    box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    (tmp_path / "things" / "meshes" / "part.obj").write_text(box)
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(ARM.replace('<sphere radius="0.1"/>', '<mesh filename="package://things/meshes/part.obj"/>'))
    (tmp_path / "arm.srdf").write_text('<robot name="arm"><disable_collisions link1="upper" link2="hand"/></robot>')
    robot = Robot.load(urdf, tmp_path / "arm.srdf", [tmp_path])
    assert robot.checked_pairs == [] and Robot.load(urdf, package_dirs=tmp_path).checked_pairs == [("upper", "hand")]
    assert pickle.loads(pickle.dumps(robot)).checked_pairs == []
    with pytest.raises(ValueError, match="arm.urdf, line 4: .*the package .* is not known"):
        Robot.load(urdf)


def test_a_plan_is_proved_and_the_same_for_the_same_seed():
    robot, world = Robot.parse(ARM), World()
    for number, (x, y) in enumerate([(1.5, 0.9), (1.2, -1.2), (-1.5, 0.3)]):
        world.add(f"post {number}", Shape.cylinder(radius=0.15, length=1.0), Pose([x, y, 0.0]))
    start, goal = [0.0, 0.0], [2.0, 0.3]
    assert robot.edge(start, goal, world).free is False
    plan = robot.plan(start, goal, world, seed=3)
    assert plan.found and plan.lower > 0.0 and plan.blocked is None
    assert plan.waypoints[0].tolist() == start and plan.waypoints[-1].tolist() == goal
    assert len(plan.edges) == len(plan.waypoints) - 1 and min(lower for lower, _ in plan.edges) == plan.lower
    proved = robot.path(plan.waypoints, world)
    assert proved.free is True and proved.lower == pytest.approx(plan.lower, rel=0.9)
    assert plan == robot.plan(start, goal, world, seed=3) and plan != robot.plan(start, goal, world, seed=4)
    inside = robot.plan(start, [0.54, 0.0], world)
    assert not inside.found and inside.blocked == "goal" and inside.waypoints.size == 0
    assert not robot.plan(start, goal, world, seconds=0.0).found or robot.edge(start, goal, world).free


SENTENCES = [
    (lambda r: Robot.load("no such.urdf"), ValueError, "no such.urdf"),
    (lambda r: Robot.parse("<robot>"), ValueError, "the URDF, line 1"),
    (lambda r: Robot.parse("<robot><link/></robot>"), ValueError, "line 1: <link> has no attribute name"),
    (lambda r: Robot.parse(ARM, "<robot><disable_collisions/></robot>"), ValueError, "the SRDF, line 1"),
    (lambda r: Robot.parse(ARM, package_dirs=3), TypeError, "package_dirs is a int"),
    (lambda r: r.clearance([0.0]), ValueError, "its last axis must have the 2 values of joint_names"),
    (lambda r: r.clearance([[0.0, 0.0]]), ValueError, "must be one configuration"),
    (lambda r: r.clearance([NAN, 0.0]), ValueError, "the value of shoulder is NaN"),
    (lambda r: r.clearance("q"), TypeError, "q has the dtype"),
    (lambda r: r.clearance([0.0, 0.0], "world"), TypeError, ""),
    (lambda r: r.clearance_batch(np.full((3, 2), [[0, 0], [0, 1e7], [0, 0]])), ValueError, r"\[1\]: the value of elbow is 10000000"),
    (lambda r: r.clearance_batch(np.zeros(())), ValueError, "last axis"),
    (lambda r: r.edge([0.0, 0.0], [0.0, NAN]), ValueError, "the value of elbow is NaN"),
    (lambda r: r.edge([0.0, 0.0], [0.0, 1.0], resolution=2.0), ValueError, "resolution is 2"),
    (lambda r: r.edge_batch(np.zeros((3, 2)), np.zeros((4, 2))), ValueError, "the leading shapes of q0 and q1"),
    (lambda r: r.path([0.0, 0.0]), ValueError, r"but must have \(N, dof\)"),
    (lambda r: r.path([[0.0, 0.0], [NAN, 0.0]]), ValueError, r"waypoints\[1\]: the value of shoulder"),
    (lambda r: r.plan([0.0, 0.0], [1.0, 0.0], step=0.0), ValueError, "step is 0"),
    (lambda r: r.plan([0.0, 0.0], [1.0, 0.0], seconds=-1.0), ValueError, "seconds is -1"),
    (lambda r: r.attached("hand", Shape.point(), link="hand"), ValueError, 'there is a link "hand" already'),
    (lambda r: r.attached("tool", Shape.point(), link="foot"), ValueError, 'no link has the name "foot"'),
    (lambda r: r.attached("floor", Shape.half_space([0, 0, 1]), link="hand"), ValueError, "must be bounded"),
    (lambda r: r.without_pairs([("hand", "foot")]), ValueError, 'no link has the name "foot"'),
    (lambda r: r.locked({"foot": 1.0}), ValueError, 'there is no joint "foot" that moves by itself'),
    (lambda r: r.locked({"elbow": NAN}), ValueError, "the value of elbow is NaN"),
    (lambda r: r.locked({"elbow": "1"}), TypeError, "a number is needed"),
    (lambda r: r.name_of(9), ValueError, "no part has the number 9"),
    (lambda r: r.propose_srdf(10**9), ValueError, "at most"),
]


@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_bad_input_is_refused_with_one_sentence(number):
    call, kind, sentence = SENTENCES[number]
    with pytest.raises(kind, match=sentence or None) as raised:
        call(Robot.parse(ARM))
    assert "\n" not in str(raised.value)


@FUZZ
@given(ANYTHING, ANYTHING)
def test_no_argument_breaks_a_robot(x, y):
    robot = Robot.parse(ARM)
    for call in (
        lambda: robot.clearance(x),
        lambda: robot.edge(x, y, tests=100),
        lambda: robot.path(x, tests=100),
        lambda: robot.plan(x, y, samples=3),
        lambda: robot.attached("x", Shape.point(), link="hand", pose=x),
        lambda: Robot.parse(x, y) if not isinstance(x, str) else None,
        lambda: robot.without_pairs(x),
        lambda: robot.name_of(x),
        lambda: robot.outside_limits(x),
    ):
        refused_or(call)
    for call in (
        lambda: robot.clearance_batch(x, threads=1),
        lambda: robot.link_poses(x),
        lambda: robot.edge_batch(x, y, tests=100).lower,
    ):
        found = refused_or(call)
        assert found is None or not np.any(np.isnan(found))
