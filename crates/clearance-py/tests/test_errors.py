"""Bad input: a `ValueError` or a `TypeError` with one sentence, whatever is passed in; fuzzed arguments give an exception or a right answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from shapes import TETRAHEDRON, kinds, random_poses

from clearance import (
    Motion,
    Pose,
    Shape,
    World,
    cast_ray,
    cast_ray_batch,
    cast_shape,
    check,
    contains,
    depth,
    distance,
    distance_batch,
    distance_pairs,
    evidence,
    intersects_batch,
    project_point_batch,
    time_of_impact,
    verify,
    within,
)

BALL = Shape.sphere(radius=1.0)
NAN, INF = math.nan, math.inf

SENTENCES = [
    (lambda: Shape.sphere(-1.0), ValueError, "radius is -1, but a size cannot be negative"),
    (lambda: Shape.sphere(NAN), ValueError, "radius is NaN, but must be a finite number"),
    (lambda: Shape.sphere(1e61), ValueError, "radius is 1e61, which is beyond 1e60"),
    (lambda: Shape.sphere(10**400), ValueError, "too large for a double"),
    (lambda: Shape.sphere("1"), TypeError, "a number is needed, not str"),
    (lambda: Shape.sphere(None), TypeError, "a number is needed, not NoneType"),
    (lambda: Shape.box(size=[1.0, -2.0, 3.0]), ValueError, "size.y is -2"),
    (lambda: Shape.box(size=[1.0, 2.0]), ValueError, "a vector has three numbers"),
    (lambda: Shape.box(size=[1.0, 2.0, 3.0], half_extents=[1.0, 2.0, 3.0]), TypeError, "give either size or half_extents"),
    (lambda: Shape.box(), TypeError, "give either size or half_extents"),
    (lambda: Shape.capsule(radius=1.0), TypeError, "give either length or half_length"),
    (lambda: Shape.capsule(radius=1.0, length=-2.0), ValueError, "length is -2"),
    (lambda: Shape.capsule(radius=1.0, length=2.0, axis="w"), ValueError, 'axis is "w"'),
    (lambda: Shape.half_space(normal=[0.0, 0.0, 0.0]), ValueError, "normal has no direction"),
    (lambda: Shape.hull([]), ValueError, "points is empty"),
    (lambda: Shape.hull([[0.0, 0.0]]), ValueError, r"points has the shape \[1, 2\]"),
    (lambda: Shape.hull([[0.0, NAN, 0.0]]), ValueError, r"points\[0\].y is NaN"),
    (lambda: Shape.hull("points"), TypeError, "points has the dtype"),
    (lambda: Shape.hull([[1j, 0, 0]]), TypeError, "points has the dtype complex128"),
    (lambda: Shape.hull([[0, 0, 0], [1]]), ValueError, "points is no array of real numbers"),
    (lambda: Shape.mesh(TETRAHEDRON[0], [[0, 1, 4]]), ValueError, r"faces\[0\]\[2\] is 4, but there are 4"),
    (lambda: Shape.mesh(TETRAHEDRON[0], [[0, 1, -1]]), ValueError, r"faces\[0\]\[2\] is -1, but there are 4 vertices"),
    (lambda: Shape.mesh(TETRAHEDRON[0], np.array([[2**63, 0, 1]], dtype=np.uint64)), ValueError, r"faces\[0\]\[0\]"),
    (lambda: Shape.mesh(TETRAHEDRON[0], [[0.0, 1.0, 2.0]]), TypeError, "faces has the dtype float64, but must have whole numbers"),
    (lambda: Shape.mesh(TETRAHEDRON[0], []), ValueError, "faces is empty"),
    (lambda: Shape.from_trimesh(3), TypeError, "a int has no vertices"),
    (lambda: Shape.load("no such file.stl"), ValueError, "no such file.stl"),
    (lambda: Shape.load(3), TypeError, ""),
    (lambda: Shape.load("a.stl", scale=-1.0), ValueError, "scale is -1"),
    (lambda: Shape.compound([]), ValueError, "compound is empty"),
    (lambda: Shape.compound([3]), TypeError, r"parts\[0\] is neither a Shape nor a Shape with a pose"),
    (lambda: Shape.compound([(BALL, [1.0])]), ValueError, r"parts\[0\].pose has the shape \[1\]"),
    (lambda: kinds()["mesh"].rounded(1.0), ValueError, "shape is a mesh, but only convex shapes can be rounded"),
    (lambda: BALL.transformed([1.0]), ValueError, r"matrix has the shape \[1\]"),
    (lambda: BALL.grown(-1.0), ValueError, "is -1"),
    (lambda: Pose([1.0, NAN, 0.0]), ValueError, "translation.y is NaN"),
    (lambda: Pose(quaternion_xyzw=[0.0, 0.0, 0.0, 0.0]), ValueError, "rotation has no direction"),
    (lambda: Pose(quaternion_xyzw=[0, 0, 0, 1], quaternion_wxyz=[1, 0, 0, 0]), TypeError, "one quaternion"),
    (lambda: Pose.from_matrix(np.diag([2.0, 1.0, 1.0, 1.0])), ValueError, "column x has length 2"),
    (lambda: Pose.from_matrix(np.diag([1.0, 1.0, -1.0, 1.0])), ValueError, "it mirrors"),
    (lambda: Pose.from_matrix(np.eye(3)), ValueError, r"matrix has the shape \[3, 3\]"),
    (lambda: distance(BALL, BALL, np.full((4, 4), NAN)), ValueError, "pose_b.matrix.x.x is NaN"),
    (lambda: distance(BALL, BALL, [1.0, 2.0, 3.0]), ValueError, r"pose_b has the shape \[3\]"),
    (lambda: distance(BALL, BALL, "here"), TypeError, "pose_b has the dtype"),
    (lambda: distance(BALL, None), TypeError, ""),
    (lambda: within(BALL, BALL, NAN), ValueError, "margin is NaN"),
    (lambda: depth(BALL, BALL, nodes=-1), ValueError, "a count is negative"),
    (lambda: depth(BALL, BALL, nodes=1.5), TypeError, "a whole number is needed"),
    (lambda: depth(BALL, BALL, seconds=-1.0), ValueError, "seconds is -1"),
    (lambda: depth(BALL, BALL, width=NAN), ValueError, "width is NaN"),
    (lambda: depth(BALL, BALL, scope="near"), ValueError, "scope is"),
    (lambda: cast_ray(BALL, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]), ValueError, "direction has no direction"),
    (lambda: cast_ray(BALL, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], max_distance=-1.0), ValueError, "max_distance is -1"),
    (lambda: cast_shape(BALL, BALL, direction=[1, 0, 0], max_distance=INF), ValueError, "max_distance is inf"),
    (lambda: contains(BALL, [NAN, 0.0, 0.0]), ValueError, "point.x is NaN"),
    (lambda: time_of_impact(BALL, Motion.fixed(), BALL, Motion.fixed(), until=-1.0), ValueError, ""),
    (lambda: Motion.keyframes([1.0, 0.0], [Pose(), Pose()]), ValueError, r"key_frames\[1\].time is 0"),
    (lambda: Motion.keyframes([1.0], []), ValueError, "there are 1 times, but 0 poses"),
    (lambda: distance_batch(BALL, BALL, np.zeros((3, 5))), ValueError, r"pose_b has the shape \(3, 5\)"),
    (lambda: distance_batch(BALL, BALL, np.eye(4) > 0), TypeError, "pose_b has the dtype bool"),
    (lambda: distance_batch(BALL, BALL, random_poses(3), pose_a=random_poses(4)), ValueError, "do not fit together"),
    (lambda: distance_batch([BALL] * 3, BALL, random_poses(4)), ValueError, "do not fit together"),
    (lambda: distance_batch([BALL, 3], BALL), TypeError, "a must be a Shape or a list of them"),
    (lambda: distance_batch(BALL, BALL, threads=0), ValueError, "threads is 0"),
    (lambda: distance_batch(BALL, BALL, threads=10**30), ValueError, "a count"),
    (lambda: distance_batch(BALL, BALL, threads=10**6), ValueError, "at most 1024"),
    (lambda: distance_batch([BALL, BALL], BALL, warm=True), ValueError, "warm queries are about one pair"),
    (lambda: distance_pairs([BALL], random_poses(1), [[0, 1]]), ValueError, "pairs has the number 1, but there are 1 shapes"),
    (lambda: distance_pairs([BALL], random_poses(2), [[0, 0]]), ValueError, "give one for each"),
    (lambda: distance_pairs([BALL], random_poses(1), [[0.0, 0.0]]), TypeError, "pairs has the dtype"),
    (lambda: cast_ray_batch(BALL, [[0.0, 0.0]], [1.0, 0.0, 0.0]), ValueError, r"origins has the shape \(1, 2\)"),
    (lambda: cast_ray_batch("ball", [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), TypeError, "a Shape or a World is needed, not a str"),
    (lambda: World(margin=-1.0), ValueError, "margin is -1"),
    (lambda: World().distance("a", "b"), ValueError, 'no body has the name "a"'),
    (lambda: World().add("a", 3), TypeError, ""),
    (lambda: World().add("a", BALL, group=-1), ValueError, "a count is negative"),
    (lambda: World().add("a", BALL, mask=2**40), ValueError, "has only 32 bits"),
    (lambda: World().set_poses(["a"], np.eye(4)), ValueError, r"poses has the shape \[4, 4\]"),
    (lambda: World.load("nowhere.json"), ValueError, "nowhere.json"),
    (lambda: check("nowhere.json"), ValueError, "nowhere.json"),
    (lambda: check([]), ValueError, "scene is empty"),
    (lambda: check({"format": "clearance-scene/1", "bodies": [{}]}), ValueError, "^the scene, line 1"),
    (lambda: check({"format": NAN}), ValueError, ""),
    (lambda: check("a.json", margin=NAN), ValueError, "margin"),
    (lambda: evidence(BALL, BALL, query="hope"), ValueError, "query is 'hope'"),
    (lambda: evidence(kinds()["grown"], BALL), ValueError, "a is a grown mesh or compound"),
    (lambda: verify(3), TypeError, ""),
]


@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_bad_input_is_refused_with_one_sentence(number):
    call, kind, sentence = SENTENCES[number]
    with pytest.raises(kind, match=sentence or None) as raised:
        call()
    assert "\n" not in str(raised.value)


NUMBERS = st.one_of(
    st.floats(width=64),
    st.sampled_from([0.0, -0.0, 1.0, 1e-300, 1e60, 1.0000001e60, 5e-324, NAN, INF, -INF]),
    st.floats(-10.0, 10.0),
)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    NUMBERS,
    st.text(max_size=3),
    st.binary(max_size=3),
    st.lists(NUMBERS, max_size=8),
    st.lists(st.lists(NUMBERS, min_size=3, max_size=4), max_size=4),
    st.just(object()),
    st.just(BALL),
    hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.bool_, np.complex128, np.dtype(">f8"), np.dtype("U2"), np.dtype("O")]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7),
    ),
)
FUZZ = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def refused_or(call):
    """The answer, or None if it was refused as bad input is."""
    try:
        return call()
    except (ValueError, TypeError):
        return None


@FUZZ
@given(st.data())
def test_no_argument_breaks_a_constructor(data):
    makers = [
        lambda x, y: Shape.sphere(x),
        lambda x, y: Shape.box(size=x),
        lambda x, y: Shape.capsule(radius=x, length=y),
        lambda x, y: Shape.cylinder(radius=x, length=1.0, axis=y),
        lambda x, y: Shape.cone(radius=1.0, length=x),
        lambda x, y: Shape.ellipsoid(x),
        lambda x, y: Shape.capsule_between(x, y, radius=0.5),
        lambda x, y: Shape.half_space(x, y),
        lambda x, y: Shape.hull(x),
        lambda x, y: Shape.mesh(x, y),
        lambda x, y: Shape.mesh(TETRAHEDRON[0], x),
        lambda x, y: Shape.compound(x),
        lambda x, y: Shape.compound([(BALL, x)]),
        lambda x, y: BALL.transformed(x),
        lambda x, y: BALL.grown(x),
        lambda x, y: Shape.load(x) if not isinstance(x, (str, bytes)) else None,
    ]
    shape = refused_or(lambda: data.draw(st.sampled_from(makers))(data.draw(ANYTHING), data.draw(ANYTHING)))
    if shape is not None:
        c = distance(shape, BALL)
        assert c.lower <= c.distance <= c.upper and not math.isnan(c.distance)


@FUZZ
@given(ANYTHING, ANYTHING, ANYTHING)
@example(np.zeros((0, 4, 4)), None, 1)
@example(np.zeros((2, 0, 7)), np.zeros((1, 7)), 2)
def test_no_argument_breaks_a_query(x, y, z):
    for call in (
        lambda: distance(BALL, BALL, x, pose_a=y),
        lambda: within(BALL, BALL, z, x),
        lambda: depth(BALL, BALL, x, nodes=y, width=z),
        lambda: Pose(x, quaternion_xyzw=y),
        lambda: Pose.from_matrix(x),
        lambda: Motion.linear(x, velocity=y),
        lambda: Motion.keyframes(x, y),
        lambda: cast_ray(BALL, x, y, max_distance=z),
        lambda: cast_shape(BALL, BALL, x, direction=y, max_distance=z),
        lambda: time_of_impact(BALL, Motion.fixed(), BALL, Motion.fixed(), until=x, start=y),
        lambda: World().add("a", BALL, x, group=y, mask=z),
        lambda: check(x, margin=y) if not isinstance(x, (str, bytes)) else None,
        lambda: evidence(BALL, BALL, x, query="within", margin=y),
        lambda: verify(x) if not isinstance(x, int) else None,
    ):
        refused_or(call)
    for call in (
        lambda: distance_batch(BALL, BALL, x, pose_a=y, threads=z),
        lambda: distance_batch([BALL, BALL], BALL, x, pose_a=y),
        lambda: intersects_batch(BALL, x, y),
        lambda: distance_pairs([BALL, BALL], random_poses(2), x),
        lambda: distance_pairs(x, y, z),
        lambda: cast_ray_batch(BALL, x, y, max_distance=z),
        lambda: project_point_batch(BALL, x, pose=y).distance,
    ):
        found = refused_or(call)
        assert found is None or not np.any(np.isnan(found))


ROWS = hnp.arrays(np.float64, st.tuples(st.integers(0, 5), st.just(7)), elements=NUMBERS)


@FUZZ
@given(ROWS, st.sampled_from(sorted(kinds())))
def test_fuzzed_poses_are_refused_or_answered_as_by_single_queries(rows, name):
    shape = kinds()[name]
    batch = refused_or(lambda: distance_batch(shape, BALL, rows, full=True))
    singles = [refused_or(lambda row=row: distance(shape, BALL, row)) for row in rows]
    assert (batch is None) == any(single is None for single in singles)
    if batch is not None:
        for single, gap, lower, upper in zip(singles, batch.distance, batch.lower, batch.upper):
            assert (single.distance, single.lower, single.upper) == (gap, lower, upper)
            assert lower <= gap <= upper


@FUZZ
@given(hnp.arrays(np.float64, (4, 4), elements=NUMBERS))
def test_fuzzed_matrices_are_refused_unless_rigid(matrix):
    pose = refused_or(lambda: Pose.from_matrix(matrix))
    if pose is not None:
        turn = matrix[:3, :3]
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-5) and np.linalg.det(turn) > 0.0
