"""Worlds: names, rules, events and queries."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shapes import random_poses

from clearance import Pose, Shape, World, distance

BALL = Shape.sphere(radius=0.5)


def test_an_update_lists_the_pairs_that_single_queries_find():
    rows = random_poses(60, seed=3)
    world = World(margin=0.3)
    shapes = [BALL, Shape.box(size=[0.5, 1.0, 0.7]), Shape.capsule(radius=0.2, length=1.0)]
    names = [f"body {i}" for i in range(60)]
    for i, name in enumerate(names):
        world.add(name, shapes[i % 3])
    world.set_poses(names, rows)
    update = world.update()
    found = {(a, b): c for a, b, c in update.pairs}
    for i in range(60):
        for j in range(i + 1, 60):
            c = distance(shapes[i % 3], shapes[j % 3], rows[j], pose_a=rows[i])
            warm = found.get((names[i], names[j]))
            assert (warm is not None) == (c.lower <= 0.3)
            assert ((names[i], names[j]) in update.overlapping) == c.is_overlapping
            assert warm is None or (warm.lower <= c.upper and c.lower <= warm.upper)
    assert update.started == update.overlapping and len(world) == 60 and world.names == names
    a, b, closest = world.closest_pair()
    assert closest.lower == min(c.lower for c in found.values()) or closest.distance <= min(c.distance for c in found.values())


def test_rules_decide_which_pairs_are_checked():
    world = World()
    world.add("a", BALL)
    world.add("b", BALL, group=1)
    world.add("c", BALL, group=1)
    world.add("wall", BALL, fixed=True)
    world.add("floor", BALL, fixed=True)
    world.add("ghost", BALL, mask=0)
    pairs = set(world.update().overlapping)
    assert ("b", "c") not in pairs and ("wall", "floor") not in pairs and not any("ghost" in pair for pair in pairs)
    assert ("a", "b") in pairs and len(pairs) == 10 - 2
    world.ignore("a", "b")
    assert world.update().ended == [("a", "b")]
    world.ignore("a", "b", False)
    assert world.update().started == [("a", "b")]
    world.set_layers("a", memberships=1, mask=2)
    world.set_layers("b", memberships=1, mask=1)
    assert ("a", "b") in world.update().ended
    world.remove("a")
    assert "a" not in world and len(world) == 5 and not any("a" in pair for pair in world.update().overlapping)
    with pytest.raises(ValueError, match="already"):
        world.add("b", BALL)
    world.add("a", BALL)
    assert "a" in world.names


def test_scene_queries_know_names_and_filters():
    world = World()
    for i in range(5):
        world.add(f"ball {i}", BALL, Pose([2.0 * i, 0.0, 0.0]), memberships=1 << i)
    assert world.nearest("ball 0")[0] == "ball 1"
    assert world.nearest("ball 0", exclude=["ball 1"])[0] == "ball 2"
    assert world.nearest("ball 0", mask=0b1000)[0] == "ball 3"
    assert world.intersect_shape(BALL, Pose([1.0, 0.0, 0.0])) == ["ball 0", "ball 1"]
    assert world.intersect_point([4.1, 0.0, 0.0]) == ["ball 2"]
    assert [name for name, _ in world.within(BALL, 1.1, Pose([0.0, 0.0, 0.0]))] == ["ball 0", "ball 1"]
    assert world.nearest_to_point([3.9, 2.0, 0.0])[0] == "ball 2"
    name, hit = world.cast_ray([9.0, 9.0, 0.0], [-1.0, -9.0, 0.0])
    assert name == "ball 4" and hit.is_proved
    assert world.cast_ray([0.0, 9.0, 0.0], [0.0, -1.0, 0.0], exclude=["ball 0"]) is None
    name, sweep = world.cast_shape(BALL, Pose([2.0, 9.0, 0.0]), direction=[0.0, -1.0, 0.0], max_distance=20.0)
    assert name == "ball 1" and sweep.lower <= 8.0 <= sweep.upper
    assert world.distance("ball 0", "ball 2").distance == 3.0
    world.set_pose("ball 2", Pose([0.75, 0.0, 0.0]))
    assert world.depth("ball 0", "ball 2").upper == pytest.approx(0.25)
    assert world.pose("ball 2").translation.tolist() == [0.75, 0.0, 0.0] and world.shape("ball 2") == BALL
    world.set_shape("ball 2", Shape.sphere(radius=0.1))
    assert world.distance("ball 0", "ball 2").distance == pytest.approx(0.15)
    other = world.copy()
    other.remove("ball 2")
    assert "ball 2" in world and "ball 2" not in other
    with pytest.raises(ValueError, match='no body has the name "nobody"'):
        world.nearest("ball 0", exclude=["nobody"])


def test_poses_are_set_all_or_none():
    world = World()
    for name in "ab":
        world.add(name, BALL)
    rows = np.array([[1.0, 0, 0, 0, 0, 0, 1], [np.nan, 0, 0, 0, 0, 0, 1]])
    with pytest.raises(ValueError, match=r"poses\[1\]\.translation\.x is NaN"):
        world.set_poses(["a", "b"], rows)
    with pytest.raises(ValueError, match="no body"):
        world.set_poses(["a", "nobody"], rows[[0, 0]])
    assert world.pose("a") == Pose()


def test_a_world_is_loaded_from_a_scene(tmp_path):
    scene = {
        "format": "clearance-scene/1",
        "bodies": [
            {"name": "floor", "shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}},
            {"name": "arm", "shape": {"capsule": {"radius": 0.5, "half_height": 1, "axis": "z"}}, "pose": {"translation": [0, 0, 1]}, "group": "g"},
            {"name": "hand", "shape": {"compound": [{"shape": {"sphere": {"radius": 1}}}]}, "group": "g"},
            {"name": "loose", "shape": {"cylinder": {"radius": 1, "half_height": 1, "axis": "x"}}},
        ],
        "ignore": [["floor", "hand"]],
    }
    (tmp_path / "cell.json").write_text(json.dumps(scene))
    world = World.load(tmp_path / "cell.json", margin=0.1)
    assert world.names == ["floor", "arm", "hand", "loose"]
    pairs = set(world.update().overlapping)
    assert pairs == {("floor", "arm"), ("floor", "loose"), ("arm", "loose"), ("hand", "loose")}
    assert world.shape("arm") == Shape.capsule(radius=0.5, half_length=1.0)
