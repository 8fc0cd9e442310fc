"""Shapes: what they are, when they are equal, and that a pickle brings them back."""

from __future__ import annotations

import copy
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from shapes import TETRAHEDRON, kinds, sphere_mesh

from clearance import (
    Motion,
    Pair,
    Pose,
    Shape,
    World,
    cast_ray,
    cast_shape,
    contains,
    depth,
    distance,
    manifold,
    project_point,
    time_of_impact,
)


@pytest.mark.parametrize("name", kinds())
def test_a_pickle_brings_a_shape_back_to_the_bit(name):
    shape = kinds()[name]
    again = pickle.loads(pickle.dumps(shape))
    assert again == shape and repr(again) == repr(shape)
    ball, pose = Shape.sphere(radius=0.1), Pose([0.3, 4.0, 0.2])
    assert distance(again, ball, pose) == distance(shape, ball, pose)
    assert copy.deepcopy(shape) is shape


def test_shapes_of_other_kinds_or_sizes_differ():
    shapes = list(kinds().values())
    for i, one in enumerate(shapes):
        for j, other in enumerate(kinds().values()):
            assert (one == other) == (i == j)
    assert Shape.sphere(radius=1.0) != Shape.sphere(radius=2.0)
    assert Shape.sphere(radius=1.0) != "sphere"
    with pytest.raises(TypeError):
        hash(Shape.sphere(radius=1.0))


def test_many_parts_share_one_pickled_shape():
    mesh = Shape.mesh(*sphere_mesh(24))
    row = Shape.compound([(mesh, Pose([3.0 * i, 0.0, 0.0])) for i in range(20)])
    # The pickle has a mesh for each part, and each restores to the same compound.
    assert pickle.loads(pickle.dumps(row)) == row


def test_sizes_are_those_that_the_names_say():
    assert Shape.box(size=[2.0, 4.0, 6.0]).volume == 48.0
    assert math.isclose(Shape.cylinder(radius=2.0, length=3.0).volume, 12.0 * math.pi)
    assert math.isclose(Shape.cone(radius=2.0, length=3.0).volume, 4.0 * math.pi)
    for axis, number in zip("xyz", range(3)):
        for make in (Shape.capsule, Shape.cylinder, Shape.cone):
            high = make(radius=0.25, length=3.0, axis=axis).aabb()[1]
            assert math.isclose(high[number], 1.75 if make is Shape.capsule else 1.5)
    # The apex of a cone is in the direction of its axis.
    tip = distance(Shape.cone(radius=1.0, length=2.0), Shape.point(), Pose([0.0, 0.0, 2.0]))
    assert tip.distance == 1.0


def test_meshes_take_all_arrays_of_whole_numbers():
    vertices, faces = TETRAHEDRON
    for dtype in (np.int8, np.uint16, np.int32, np.int64, np.uint64):
        assert Shape.mesh(vertices, faces.astype(dtype)) == Shape.mesh(vertices, faces)
    assert Shape.mesh(vertices.tolist(), faces.tolist()) == Shape.mesh(vertices, faces)
    assert Shape.mesh(np.asfortranarray(vertices), faces[:, ::-1][:, ::-1]) == Shape.mesh(vertices, faces)
    assert Shape.from_trimesh(SimpleNamespace(vertices=vertices, faces=faces)) == Shape.mesh(vertices, faces)
    mesh = Shape.mesh(vertices, faces)
    assert np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.faces, faces)
    assert mesh.mesh_report()["is_closed"] and mesh.is_solid


def test_files_are_read(tmp_path):
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in TETRAHEDRON[0])
    text += "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in TETRAHEDRON[1])
    (tmp_path / "part.obj").write_text(text)
    assert Shape.load(tmp_path / "part.obj") == Shape.mesh(*TETRAHEDRON)
    assert Shape.load(str(tmp_path / "part.obj"), scale=2.0).vertices.max(axis=0).tolist() == [2.0, 2.0, 2.0]
    hull = Shape.load(tmp_path / "part.obj", hull=True)
    assert sorted(hull.vertices.tolist()) == sorted(TETRAHEDRON[0].tolist()) and hull.kind == "hull"
    (tmp_path / "two.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")
    with pytest.raises(ValueError, match="two.off, line 6"):
        Shape.load(tmp_path / "two.off")
    with pytest.raises(ValueError, match="part.xyz"):
        Shape.load(tmp_path / "part.xyz")
    # A file of several bodies is a compound, and pickles.
    (tmp_path / "wrl.wrl").write_text("#VRML V2.0 utf8\nShape { geometry Sphere { radius 2 } }\nShape { geometry Box { size 1 2 3 } }\n")
    both = Shape.load(tmp_path / "wrl.wrl")
    assert pickle.loads(pickle.dumps(both)) == both
    assert np.allclose(both.aabb()[1], [2.0, 2.0, 2.0])


def test_nesting_is_limited_and_said():
    shape = Shape.sphere(radius=1.0)
    with pytest.raises(ValueError, match="nested more than 32 shapes deep; flatten it"):
        for _ in range(40):
            shape = shape.rounded(0.001)
    with pytest.raises(ValueError, match="nested more than 32"):
        for _ in range(40):
            shape = Shape.compound([shape])


def test_poses_are_what_they_say():
    pose = Pose([1.0, 2.0, 3.0], quaternion_xyzw=[0.1, -0.2, 0.3, 0.9])
    assert Pose([1.0, 2.0, 3.0], quaternion_wxyz=[0.9, 0.1, -0.2, 0.3]) == pose
    assert np.allclose((pose @ pose.inverse()).matrix, np.eye(4), atol=1e-14)
    assert np.allclose((pose @ pose).matrix, pose.matrix @ pose.matrix, atol=1e-14)
    assert np.allclose(Pose.from_matrix(pose.matrix).matrix, pose.matrix, atol=1e-15)
    points = np.random.default_rng(0).normal(size=(2, 5, 3))
    assert np.allclose(pose.transform(points), points @ pose.matrix[:3, :3].T + pose.translation, atol=1e-14)
    assert np.asarray(pose, dtype=np.float32).dtype == np.float32
    assert pickle.loads(pickle.dumps(pose)) == pose and copy.copy(pose) is pose
    assert eval(repr(pose)) == pose
    turn = Pose.from_axis_angle([0.0, 0.0, 5.0], math.pi / 2, translation=[1.0, 0.0, 0.0])
    assert np.allclose(turn.transform([1.0, 0.0, 0.0]), [1.0, 1.0, 0.0], atol=1e-15)


def test_answers_and_motions_compare_and_pickle():
    cube, ball = Shape.box(size=[1.0, 1.0, 1.0]), Shape.sphere(radius=0.5)
    motion = Motion.linear(Pose([-3.0, 0.0, 0.0]), velocity=[1.0, 0.0, 0.0], angular_velocity=[0.0, 0.0, 1.0], center=[0.1, 0.0, 0.0])
    still, frames = Motion.fixed(), Motion.keyframes([0.0, 1.0], [Pose(), np.eye(4)])
    at = Pose([0.9, 0.0, 0.0])
    answers = [
        distance(cube, ball, at),
        depth(cube, ball, at),
        cast_ray(ball, [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        cast_shape(cube, ball, Pose([5.0, 0.0, 0.0]), direction=[-1.0, 0.0, 0.0], max_distance=10.0),
        project_point(cube, [3.0, 0.0, 0.0]),
        time_of_impact(cube, still, ball, motion, until=9.0),
        time_of_impact(cube, still, ball, motion, until=0.5),
        time_of_impact(cube, still, ball, still, until=0.5),
        manifold(cube, ball, at),
        manifold(cube, ball, at).points[0],
        motion,
        still,
        frames,
    ]
    for answer in answers:
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer and repr(again) == repr(answer) and type(answer).__name__ in repr(answer)
    assert [answer.state for answer in answers[5:8]] == ["hit", "clear", "touching"]
    assert answers[0] != distance(cube, ball) and motion != still and still != frames
    assert repr(distance(ball, ball, Pose([3.0, 0.0, 0.0]))).startswith("Clearance(distance=2.0, lower=")


def test_a_world_and_a_pair_say_that_they_cannot_be_pickled():
    ball = Shape.sphere(radius=1.0)
    for value in (World(), Pair(ball, ball)):
        with pytest.raises(TypeError, match="cannot be pickled; pickle its shapes"):
            pickle.dumps(value)


def test_a_point_cloud_is_as_far_as_its_nearest_point():
    rng = np.random.default_rng(5)
    points = rng.uniform(-1.0, 1.0, (3000, 3))
    cloud = Shape.point_cloud(points, radius=0.01)
    for at in rng.uniform(-2.0, 2.0, (50, 3)):
        found = distance(cloud, Shape.sphere(radius=0.1), Pose(at))
        truth = np.linalg.norm(points - at, axis=1).min() - 0.11
        assert found.lower - 1e-12 <= truth <= found.upper + 1e-12 or truth < 0.0
        assert (truth < 0.0) == found.is_overlapping
    assert pickle.loads(pickle.dumps(cloud)) == cloud


def test_voxels_are_exactly_those_that_are_set():
    rng = np.random.default_rng(6)
    for share in (0.1, 0.5, 0.95):
        filled = rng.random((5, 6, 7)) < share
        grid = Shape.voxels(filled, size=[0.5, 0.25, 1.0], origin=[1.0, 2.0, 3.0])
        for at in np.ndindex(filled.shape):
            center = np.array([1.0, 2.0, 3.0]) + (np.array(at) + 0.5) * [0.5, 0.25, 1.0]
            assert contains(grid, center) == filled[at]
            nearest = np.argwhere(filled)
            gap = np.maximum(np.abs((nearest - at) * [0.5, 0.25, 1.0]) - np.array([0.5, 0.25, 1.0]) / 2, 0.0)
            truth = np.linalg.norm(gap, axis=1).min()
            assert distance(grid, Shape.point(), Pose(center)).gap == pytest.approx(truth, abs=1e-12)
    solid = Shape.voxels(np.ones((30, 40, 50), dtype=bool), size=1.0)
    assert repr(solid) == "<Shape: compound of 1 parts>"
    # Boxes around compounds are rounded outward.
    upper = solid.aabb()[1]
    assert (upper >= [30.0, 40.0, 50.0]).all() and upper.tolist() == pytest.approx([30.0, 40.0, 50.0], rel=1e-12)


@pytest.mark.parametrize(
    "call, kind, sentence",
    [
        (lambda: Shape.point_cloud([[0.0, np.nan, 0.0]], radius=1.0), ValueError, r"points\[0\].translation.y is NaN"),
        (lambda: Shape.point_cloud([], radius=1.0), ValueError, "empty"),
        (lambda: Shape.point_cloud([[0.0, 0.0, 0.0]], radius=-1.0), ValueError, "radius is -1"),
        (lambda: Shape.voxels(np.ones((2, 2), dtype=bool), size=1.0), ValueError, "must have three axes"),
        (lambda: Shape.voxels(np.ones((2, 2, 2)), size=1.0), TypeError, "must have bool"),
        (lambda: Shape.voxels(np.ones((2, 2, 2), dtype=bool), size=0.0), ValueError, "must be positive"),
        (lambda: Shape.voxels(np.ones((2, 2, 2), dtype=bool), size=1.0, origin=[np.inf, 0, 0]), ValueError, "inf"),
        (lambda: Shape.voxels(np.zeros((2, 2, 2), dtype=bool), size=1.0), ValueError, "no voxel is filled"),
    ],
)
def test_bad_clouds_and_grids_are_refused(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()
