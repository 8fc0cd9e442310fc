"""Many queries at once: arrays of any leading shape in, answers of the same leading shape out.

Poses are arrays of the shape (..., 4, 4), matrices, or (..., 7), a translation and a quaternion x, y, z, w each; or one ``Pose`` for all. The leading shapes of
all arguments are broadcast. Arrays of doubles in C order are read where they are; others are copied once. A batch runs on all cores without the interpreter,
and Ctrl-C ends it. Each answer has the same bits as that of the single query, for any number of ``threads``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Union, overload

import numpy as np
import numpy.typing as npt

from clearance._native import (
    Pose,
    Shape,
    World,
    fill_depths,
    fill_distances,
    fill_intersections,
    fill_points,
    fill_rays,
    fill_within,
)

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
PosesLike = Union[Pose, npt.ArrayLike, None]
ShapesLike = Union[Shape, Sequence[Shape]]


class Clearances(NamedTuple):
    """Full answers of a batch of distances: arrays of the leading shape, and of that and three for points and normals."""

    distance: Floats
    lower: Floats
    upper: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats


class Depths(NamedTuple):
    """Answers of a batch of depths: proven bounds, and a translation of A that frees it."""

    lower: Floats
    upper: Floats
    translation: Floats


class RayHits(NamedTuple):
    """Full answers of a batch of rays. A miss is infinitely far, with the number -1 and zeros for the rest."""

    distance: Floats
    lower: Floats
    upper: Floats
    point: Floats
    normal: Floats
    is_inside: Bools
    #: The part of a compound or the body of a world that is hit: see ``World.name_of``.
    number: Ints


class PointProjections(NamedTuple):
    """Full answers of a batch of points: the nearest point of the surface, with the signed distance to it."""

    distance: Floats
    lower: Floats
    upper: Floats
    point: Floats
    normal: Floats
    #: The part of a compound or the body of a world that is nearest: see ``World.name_of``.
    number: Ints


def _numbers(value: Any, name: str) -> Floats:
    """An array of doubles in C order: the same one, if it is one already."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is no array of real numbers: {error}") from None
    if array.dtype.kind not in "fiu" and array.size:
        raise TypeError(f"{name} has the dtype {array.dtype}, but must have real numbers")
    return np.require(array, np.float64, ["C", "A"])


class _Flat(NamedTuple):
    """An argument: its leading shape, and its rows of numbers."""

    lead: tuple[int, ...]
    rows: Floats

    def over(self, lead: tuple[int, ...]) -> Floats:
        """Its rows, one for all queries or one for each of that shape. A copy only if some rows are repeated and others not."""
        width = self.rows.shape[-1]
        if len(self.rows) == 1 or self.lead == lead or len(self.rows) == np.prod(lead, dtype=np.int64):
            return self.rows
        wide = np.broadcast_to(self.rows.reshape(*self.lead, width), (*lead, width))
        return np.ascontiguousarray(wide).reshape(-1, width)


def _poses(value: PosesLike, name: str) -> _Flat | None:
    """Poses as rows of 16 or 7 numbers."""
    if value is None:
        return None
    if isinstance(value, Pose):
        seven = np.concatenate([value.translation, value.quaternion_xyzw])
        return _Flat((), seven.reshape(1, 7))
    array = _numbers(value, name)
    if array.ndim >= 2 and array.shape[-2:] == (4, 4):
        return _Flat(array.shape[:-2], array.reshape(-1, 16))
    if array.ndim >= 1 and array.shape[-1] == 7:
        return _Flat(array.shape[:-1], array.reshape(-1, 7))
    raise ValueError(f"{name} has the shape {array.shape}, but must have (..., 4, 4) or (..., 7)")


def _vectors(value: npt.ArrayLike, name: str) -> _Flat:
    """Points or directions as rows of three numbers."""
    array = _numbers(value, name)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"{name} has the shape {array.shape}, but must have (..., 3)")
    return _Flat(array.shape[:-1], array.reshape(-1, 3))


def _lead(*leads: tuple[int, ...]) -> tuple[int, ...]:
    """The common leading shape."""
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shapes = " and ".join(str(lead) for lead in leads if lead)
        raise ValueError(f"the leading shapes {shapes} do not fit together") from None


def _shapes(value: ShapesLike, name: str) -> tuple[ShapesLike, tuple[int, ...]]:
    """One shape for all queries, or one for each of the first axis of the leading shape."""
    if isinstance(value, Shape):
        return value, ()
    shapes = list(value) if isinstance(value, (Sequence, np.ndarray)) else value
    if not isinstance(shapes, list) or not all(isinstance(shape, Shape) for shape in shapes):
        raise TypeError(f"{name} must be a Shape or a list of them")
    return shapes, (len(shapes),)


def _indices(lead: tuple[int, ...], own: tuple[int, ...]) -> Ints | None:
    """The number of a shape for each query, if the list of shapes is repeated."""
    if own in ((), (1,)) or own == lead:
        return None
    return np.ascontiguousarray(np.broadcast_to(np.arange(own[0]), lead)).reshape(-1)


def _query(
    a: ShapesLike, b: ShapesLike, pose_b: PosesLike, pose_a: PosesLike, warm: bool, threads: int | None
) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The arguments of a batch about pairs, and the shape of its answers."""
    (shapes_a, lead_a), (shapes_b, lead_b) = _shapes(a, "a"), _shapes(b, "b")
    flat_a, flat_b = _poses(pose_a, "pose_a"), _poses(pose_b, "pose_b")
    lead = _lead(lead_a, lead_b, *(flat.lead for flat in (flat_a, flat_b) if flat is not None))
    return {
        "a": shapes_a,
        "b": shapes_b,
        "numbers_a": _indices(lead, lead_a),
        "numbers_b": _indices(lead, lead_b),
        "pose_a": None if flat_a is None else flat_a.over(lead),
        "pose_b": None if flat_b is None else flat_b.over(lead),
        "shape": lead,
        "warm": bool(warm),
        "threads": threads,
    }, lead


def _out(lead: tuple[int, ...], width: int) -> Floats:
    """Room for the answers."""
    return np.empty((*lead, width), dtype=np.float64)


def _clearances(out: Floats) -> Clearances:
    return Clearances(
        out[..., 0], out[..., 1], out[..., 2], out[..., 3:6], out[..., 6:9], out[..., 9:12]
    )


def _distances(query: dict[str, Any], lead: tuple[int, ...], full: bool) -> Floats | Clearances:
    out = _out(lead, 12 if full else 1)
    fill_distances(query, out.reshape(-1), full)
    return _clearances(out) if full else out[..., 0]


@overload
def distance_batch(
    a: ShapesLike,
    b: ShapesLike,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    full: Literal[False] = False,
    warm: bool = False,
    threads: int | None = None,
) -> Floats: ...
@overload
def distance_batch(
    a: ShapesLike,
    b: ShapesLike,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    full: Literal[True],
    warm: bool = False,
    threads: int | None = None,
) -> Clearances: ...
def distance_batch(
    a: ShapesLike,
    b: ShapesLike,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    full: bool = False,
    warm: bool = False,
    threads: int | None = None,
) -> Floats | Clearances:
    """The signed distances of two shapes at many poses, or of many pairs of shapes.

    A list of shapes belongs to the last axis of the leading shape. ``full`` adds bounds, points and normals. ``warm`` is for poses along a motion: each
    query starts from the one before, which may change an answer within its bracket.

    >>> import numpy as np
    >>> from clearance import Pose, Shape, distance_batch
    >>> cube, ball = Shape.box(size=[2.0, 2.0, 2.0]), Shape.sphere(radius=1.0)
    >>> poses = np.tile(np.eye(4), (2, 3, 1, 1))
    >>> poses[..., 0, 3] = [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    >>> distance_batch(cube, ball, poses)
    array([[1., 2., 3.],
           [4., 5., 6.]])
    >>> found = distance_batch(cube, [ball, cube], Pose(translation=[5.0, 0.0, 0.0]), full=True)
    >>> found.point_b
    array([[4., 0., 0.],
           [4., 0., 0.]])
    >>> bool(np.all(found.lower <= found.distance))
    True
    """
    query, lead = _query(a, b, pose_b, pose_a, warm, threads)
    return _distances(query, lead, full)


def intersects_batch(
    a: ShapesLike,
    b: ShapesLike,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    warm: bool = False,
    threads: int | None = None,
) -> Bools:
    """Whether shapes share a point, for each pose: see ``intersects``. False is proved.

    >>> from clearance import Shape, intersects_batch
    >>> ball = Shape.sphere(radius=1.0)
    >>> intersects_batch(ball, ball, [[x, 0, 0, 0, 0, 0, 1] for x in (1.9, 2.0, 2.1)])
    array([ True,  True, False])
    """
    query, lead = _query(a, b, pose_b, pose_a, warm, threads)
    out = np.empty(lead, dtype=np.bool_)
    fill_intersections(query, out.reshape(-1))
    return out


def within_batch(
    a: ShapesLike,
    b: ShapesLike,
    margin: float,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    warm: bool = False,
    threads: int | None = None,
) -> Bools:
    """Whether shapes are at most ``margin`` apart, for each pose: see ``within``. False is proved.

    >>> from clearance import Shape, within_batch
    >>> ball = Shape.sphere(radius=1.0)
    >>> within_batch(ball, ball, 0.5, [[x, 0, 0, 0, 0, 0, 1] for x in (1.0, 2.25, 3.0)])
    array([ True,  True, False])
    """
    query, lead = _query(a, b, pose_b, pose_a, warm, threads)
    out = np.empty(lead, dtype=np.bool_)
    fill_within(query, out.reshape(-1), margin)
    return out


def depth_batch(
    a: ShapesLike,
    b: ShapesLike,
    pose_b: PosesLike = None,
    *,
    pose_a: PosesLike = None,
    width: float = 0.0,
    nodes: int | None = None,
    seconds: float | None = None,
    scope: str = "any",
    warm: bool = False,
    threads: int | None = None,
) -> Depths:
    """The penetration depths of shapes, for each pose, with a budget for each: see ``depth``.

    >>> from clearance import Shape, depth_batch
    >>> ball = Shape.sphere(radius=1.0)
    >>> found = depth_batch(ball, ball, [[x, 0, 0, 0, 0, 0, 1] for x in (1.5, 3.0)])
    >>> found.upper.round(9), found.translation.round(9)[0]
    (array([0.5, 0. ]), array([-0.5,  0. ,  0. ]))
    """
    query, lead = _query(a, b, pose_b, pose_a, warm, threads)
    out = _out(lead, 5)
    fill_depths(query, out.reshape(-1), width, nodes, seconds, scope)
    return Depths(out[..., 0], out[..., 1], out[..., 2:5])


def _pairs(
    shapes: Sequence[Shape], poses: PosesLike, pairs: npt.ArrayLike, threads: int | None
) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The arguments of a batch about pairs out of a list, and the shape of its answers."""
    shapes, (count,) = list(shapes), (len(shapes),)
    flat = _poses(poses, "poses")
    if flat is None or flat.lead != (count,):
        lead = None if flat is None else flat.lead
        raise ValueError(f"there are {count} shapes, but poses of the leading shape {lead}; give one for each")
    numbers = np.asarray(pairs)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise TypeError(f"pairs has the dtype {numbers.dtype}, but must have whole numbers")
    if numbers.ndim == 0 or numbers.shape[-1] != 2:
        raise ValueError(f"pairs has the shape {numbers.shape}, but must have (..., 2)")
    numbers = np.require(numbers, np.int64)
    if numbers.size and not (0 <= int(numbers.min()) and int(numbers.max()) < count):
        bad = int(numbers.min()) if numbers.min() < 0 else int(numbers.max())
        raise ValueError(f"pairs has the number {bad}, but there are {count} shapes, counted from 0")
    lead = numbers.shape[:-1]
    a, b = (np.ascontiguousarray(numbers[..., side]).reshape(-1) for side in (0, 1))
    return {
        "a": shapes,
        "b": shapes,
        "numbers_a": a,
        "numbers_b": b,
        "pose_a": flat.rows[a],
        "pose_b": flat.rows[b],
        "shape": lead,
        "warm": False,
        "threads": threads,
    }, lead


@overload
def distance_pairs(
    shapes: Sequence[Shape],
    poses: PosesLike,
    pairs: npt.ArrayLike,
    *,
    full: Literal[False] = False,
    threads: int | None = None,
) -> Floats: ...
@overload
def distance_pairs(
    shapes: Sequence[Shape],
    poses: PosesLike,
    pairs: npt.ArrayLike,
    *,
    full: Literal[True],
    threads: int | None = None,
) -> Clearances: ...
def distance_pairs(
    shapes: Sequence[Shape],
    poses: PosesLike,
    pairs: npt.ArrayLike,
    *,
    full: bool = False,
    threads: int | None = None,
) -> Floats | Clearances:
    """The signed distances of pairs out of a list of shapes, each at its own pose: ``pairs`` has two numbers of shapes in its last axis.

    >>> from clearance import Shape, distance_pairs
    >>> ball = Shape.sphere(radius=1.0)
    >>> poses = [[x, 0, 0, 0, 0, 0, 1] for x in (0.0, 3.0, 7.0)]
    >>> distance_pairs([ball, ball, ball], poses, [[0, 1], [1, 2], [0, 2]])
    array([1., 2., 5.])
    """
    query, lead = _pairs(shapes, poses, pairs, threads)
    return _distances(query, lead, full)


def intersects_pairs(
    shapes: Sequence[Shape], poses: PosesLike, pairs: npt.ArrayLike, *, threads: int | None = None
) -> Bools:
    """Whether pairs out of a list of shapes share a point: see ``distance_pairs``.

    >>> from clearance import Shape, intersects_pairs
    >>> ball = Shape.sphere(radius=1.0)
    >>> intersects_pairs([ball, ball], [[0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1]], [[0, 1]])
    array([ True])
    """
    query, lead = _pairs(shapes, poses, pairs, threads)
    out = np.empty(lead, dtype=np.bool_)
    fill_intersections(query, out.reshape(-1))
    return out


@overload
def cast_ray_batch(
    target: Shape | World,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
    *,
    max_distance: npt.ArrayLike = float("inf"),
    pose: Pose | npt.ArrayLike | None = None,
    boundary: bool = False,
    full: Literal[False] = False,
    threads: int | None = None,
) -> Floats: ...
@overload
def cast_ray_batch(
    target: Shape | World,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
    *,
    max_distance: npt.ArrayLike = float("inf"),
    pose: Pose | npt.ArrayLike | None = None,
    boundary: bool = False,
    full: Literal[True],
    threads: int | None = None,
) -> RayHits: ...
def cast_ray_batch(
    target: Shape | World,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
    *,
    max_distance: npt.ArrayLike = float("inf"),
    pose: Pose | npt.ArrayLike | None = None,
    boundary: bool = False,
    full: bool = False,
    threads: int | None = None,
) -> Floats | RayHits:
    """Where many rays first meet a shape or the bodies of a world: distances, infinite where a miss is proved.

    >>> from clearance import Shape, cast_ray_batch
    >>> ball = Shape.sphere(radius=1.0)
    >>> cast_ray_batch(ball, [[-5.0, 0.0, 0.0], [-5.0, 2.0, 0.0]], [1.0, 0.0, 0.0])
    array([ 4., inf])
    """
    if boundary and isinstance(target, World):
        raise ValueError("boundary is for a Shape; the bodies of a World are solid")
    if pose is not None and isinstance(target, World):
        raise ValueError("the bodies of a World have poses of their own; leave pose out")
    from_, along = _vectors(origins, "origins"), _vectors(directions, "directions")
    limit = _numbers(max_distance, "max_distance")
    limits = _Flat(limit.shape, limit.reshape(-1, 1))
    lead = _lead(from_.lead, along.lead, limits.lead)
    out = _out(lead, 11 if full else 1)
    fill_rays(
        target,
        pose,
        from_.over(lead),
        along.over(lead),
        limits.over(lead),
        out.reshape(-1),
        full=full,
        boundary=boundary,
        shape=lead,
        threads=threads,
    )
    if not full:
        return out[..., 0]
    return RayHits(
        out[..., 0],
        out[..., 1],
        out[..., 2],
        out[..., 5:8],
        out[..., 8:11],
        out[..., 3] != 0.0,
        out[..., 4].astype(np.int64),
    )


def _points(
    target: Shape | World,
    points: npt.ArrayLike,
    pose: Pose | npt.ArrayLike | None,
    width: int,
    threads: int | None,
) -> Floats:
    if pose is not None and isinstance(target, World):
        raise ValueError("the bodies of a World have poses of their own; leave pose out")
    flat = _vectors(points, "points")
    out = _out(flat.lead, width)
    fill_points(
        target, pose, flat.rows, out.reshape(-1), full=width > 1, shape=flat.lead, threads=threads
    )
    return out


def signed_distance_to_point_batch(
    target: Shape | World,
    points: npt.ArrayLike,
    *,
    pose: Pose | npt.ArrayLike | None = None,
    threads: int | None = None,
) -> Floats:
    """The signed distances of many points to the surface of a shape, or of the nearest body of a world: negative inside.

    >>> from clearance import Shape, signed_distance_to_point_batch
    >>> ball = Shape.sphere(radius=1.0)
    >>> signed_distance_to_point_batch(ball, [[0.5, 0.0, 0.0], [3.0, 0.0, 0.0]])
    array([-0.5,  2. ])
    """
    return _points(target, points, pose, 1, threads)[..., 0]


def project_point_batch(
    target: Shape | World,
    points: npt.ArrayLike,
    *,
    pose: Pose | npt.ArrayLike | None = None,
    threads: int | None = None,
) -> PointProjections:
    """The nearest points of the surface of a shape, or of the nearest body of a world, with proven bounds of the distances.

    >>> from clearance import Shape, project_point_batch
    >>> found = project_point_batch(Shape.box(size=[2.0, 2.0, 2.0]), [[0.5, 0.0, 0.0], [3.0, 0.0, 0.0]])
    >>> found.point
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    out = _points(target, points, pose, 10, threads)
    return PointProjections(
        out[..., 0], out[..., 1], out[..., 2], out[..., 4:7], out[..., 7:10], out[..., 3].astype(np.int64)
    )
