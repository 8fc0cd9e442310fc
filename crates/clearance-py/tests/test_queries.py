"""Single queries against closed forms: the truth is in the bracket."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapes import kinds, matrices, random_poses, sphere_mesh

from clearance import (
    Motion,
    Pair,
    Pose,
    Shape,
    cast_ray,
    cast_shape,
    closest_approach,
    contains,
    depth,
    distance,
    intersects,
    manifold,
    project_point,
    signed_distance,
    signed_distance_to_point,
    time_of_impact,
    within,
)


def test_two_balls_are_as_far_apart_as_their_centers_less_their_radii():
    for row in random_poses(200):
        a, b = Shape.sphere(radius=0.7), Shape.sphere(radius=1.1)
        truth = math.dist(row[:3], (0.0, 0.0, 0.0)) - 1.8
        c = distance(a, b, row)
        assert c.lower <= truth + 1e-15 and truth - 1e-15 <= c.upper and c.upper - c.lower < 1e-12
        assert np.allclose(c.point_b, c.point_a + c.distance * c.normal, atol=1e-14)
        assert intersects(a, b, row) == c.is_overlapping == (not c.is_apart)
        assert c.gap == max(c.distance, 0.0)


def test_a_ball_and_a_box_have_their_closed_form():
    half = np.array([1.0, 2.0, 3.0])
    cube, ball = Shape.box(half_extents=half), Shape.sphere(radius=0.5)
    for row in random_poses(300, seed=1, spread=5.0):
        outside = np.maximum(np.abs(row[:3]) - half, 0.0)
        inside = np.max(np.abs(row[:3]) - half)
        truth = (np.linalg.norm(outside) if inside > 0.0 else inside) - 0.5
        c = distance(cube, ball, row)
        assert c.lower <= truth + 1e-14 and truth - 1e-14 <= c.upper


def test_poses_of_every_form_are_the_same_pose():
    a, b = kinds()["hull"], kinds()["box"]
    for row, matrix in zip(random_poses(20), matrices(random_poses(20))):
        pose = Pose(row[:3], quaternion_xyzw=row[3:])
        found = distance(a, b, pose)
        assert distance(a, b, row) == found
        assert distance(a, b, row.tolist()) == found
        assert math.isclose(distance(a, b, matrix).distance, found.distance, abs_tol=1e-13)
        assert math.isclose(distance(a, b, matrix.astype(np.float32)).distance, found.distance, abs_tol=1e-4)
        assert distance(a, b, matrix.tolist()) == distance(a, b, matrix) == distance(a, b, np.asfortranarray(matrix))
        # Both poses may be given, and a common motion changes nothing but rounding.
        both = distance(a, b, pose @ pose, pose_a=pose)
        assert math.isclose(both.distance, found.distance, abs_tol=1e-12)


@pytest.mark.parametrize("name", kinds())
def test_every_kind_answers_every_query(name):
    shape, ball = kinds()[name], Shape.sphere(radius=0.2)
    for row in random_poses(20, seed=5):
        c = distance(shape, ball, row)
        assert c.lower <= c.distance <= c.upper and math.isclose(np.linalg.norm(c.normal), 1.0, abs_tol=1e-12)
        assert intersects(shape, ball, row) == c.is_overlapping
        assert (within(shape, ball, 0.5, row) is None) == (c.lower > 0.5)
        d = depth(shape, ball, row, nodes=50)
        assert 0.0 <= d.lower <= d.upper and (d.upper == 0.0) == c.is_apart
        s = signed_distance(shape, ball, row, nodes=50)
        assert s.lower <= s.upper and s.is_apart == c.is_apart
        found = project_point(shape, row[:3])
        assert signed_distance_to_point(shape, row[:3]) == (found.lower, found.upper)
        assert contains(shape, row[:3]) == found.is_inside or name in ("shell", "grown", "compound")
        hit = cast_ray(shape, [9.0, 0.1, 0.2], row[:3] - [9.0, 0.1, 0.2])
        assert hit is None or hit.lower <= hit.distance <= hit.upper
        sweep = cast_shape(shape, ball, Pose([9.0, 0.1, 9.0]), direction=row[:3] - [9.0, 0.1, 9.0], max_distance=20.0)
        assert sweep is None or sweep.lower <= sweep.upper
        points = manifold(shape, ball, row, margin=0.1)
        assert points is None or 1 <= len(points.points) <= 4
        assert (points is None) <= (c.lower > 0.1 or name in ("shell",))


def test_times_of_impact_and_casts_hold_the_truth():
    ball, still = Shape.sphere(radius=0.5), Motion.fixed()
    for speed in (0.1, 1.0, 1000.0):
        shot = Motion.linear([-9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], velocity=[speed, 0.0, 0.0])
        impact = time_of_impact(ball, still, ball, shot, until=100.0)
        assert impact.hit and impact.lower <= 8.0 / speed <= impact.upper and impact.upper - impact.lower < 1e-9 / speed
        assert Pair(ball, ball).time_of_impact(still, shot, until=100.0).hit
        assert time_of_impact(ball, still, ball, shot, until=100.0, start=99.0 if speed > 1 else 0.0).hit is (speed <= 1)
    near = closest_approach(ball, still, ball, Motion.linear(Pose([-9.0, 3.0, 0.0]), velocity=[1.0, 0.0, 0.0]), until=20.0)
    assert near.hit is False and near.approach.lower <= 2.0 <= near.approach.upper
    hit = cast_shape(ball, ball, Pose([-9.0, 0.6, 0.0]), direction=[2.0, 0.0, 0.0], max_distance=50.0)
    assert hit.lower <= 9.0 - 0.8 <= hit.upper + 1e-14


def test_a_depth_of_solids_frees_them():
    mesh = Shape.mesh(*sphere_mesh(16))
    at = np.array([0.4, 1.0, 0.1])
    d = depth(mesh, mesh, Pose(at), nodes=200)
    assert 0.0 < d.lower <= d.upper < 2.0
    assert not intersects(mesh, mesh, Pose(at), pose_a=Pose(d.translation))
    assert signed_distance(mesh, mesh, Pose(at), nodes=200).lower <= -d.lower


def test_a_pair_agrees_with_single_queries():
    a, b = kinds()["hull"], kinds()["box"]
    pair = Pair(a, b)
    for x in np.linspace(4.0, 0.0, 100):
        c, warm = distance(a, b, Pose([x, 0.2, 0.1])), pair.distance(Pose([x, 0.2, 0.1]))
        assert warm.lower <= c.upper and c.lower <= warm.upper
        assert pair.intersects(Pose([x, 0.2, 0.1])) == c.is_overlapping
        assert (pair.within(0.3, Pose([x, 0.2, 0.1])) is None) == (c.lower > 0.3)
    pair.reset()
    assert pair.distance(Pose([4.0, 0.2, 0.1])) == distance(a, b, Pose([4.0, 0.2, 0.1]))
    assert pair.a == a and pair.b == b
    assert pair.depth(Pose([0.1, 0.0, 0.0])).upper > 0.0
    assert [len(m.points) for m in pair.manifolds(Pose([0.1, 0.0, 0.0]))] == [len(pair.manifold(Pose([0.1, 0.0, 0.0])).points)]
