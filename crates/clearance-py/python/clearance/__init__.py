"""Collision detection and proximity queries whose answers carry bounds that can be proved.

Build shapes, put them at poses, and ask. Bad input is refused with one sentence, a ``ValueError`` or a ``TypeError``.

>>> from clearance import Pose, Shape, distance
>>> table, ball = Shape.box(size=[4.0, 2.0, 0.2]), Shape.sphere(radius=0.5)
>>> c = distance(table, ball, Pose(translation=[0.3, 0.0, 1.0]))
>>> round(c.distance, 12), c.lower <= 0.4 <= c.upper
(0.4, True)

Many poses at once, on all cores:

>>> import numpy as np
>>> from clearance import distance_batch
>>> poses = np.tile(np.eye(4), (1000, 1, 1))
>>> poses[:, 2, 3] = np.linspace(1.0, 10.0, 1000)
>>> distance_batch(table, ball, poses).shape
(1000,)
"""

from clearance._batch import (
    Clearances,
    Depths,
    PointProjections,
    RayHits,
    cast_ray_batch,
    depth_batch,
    distance_batch,
    distance_pairs,
    intersects_batch,
    intersects_pairs,
    project_point_batch,
    signed_distance_to_point_batch,
    within_batch,
)
from clearance._native import (
    Approach,
    Clearance,
    Depth,
    Impact,
    Manifold,
    ManifoldPoint,
    Motion,
    Pair,
    PointProjection,
    Pose,
    RayHit,
    Robot,
    RobotClearance,
    RobotContact,
    RobotEdge,
    RobotPath,
    RobotPlan,
    Shape,
    ShapeHit,
    Update,
    World,
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
from clearance._program import check, evidence, verify
from clearance._robot import RobotClearances, RobotEdges

__all__ = [
    "Approach",
    "Clearance",
    "Clearances",
    "Depth",
    "Depths",
    "Impact",
    "Manifold",
    "ManifoldPoint",
    "Motion",
    "Pair",
    "PointProjection",
    "PointProjections",
    "Pose",
    "RayHit",
    "RayHits",
    "Robot",
    "RobotClearance",
    "RobotClearances",
    "RobotContact",
    "RobotEdge",
    "RobotEdges",
    "RobotPath",
    "RobotPlan",
    "Shape",
    "ShapeHit",
    "Update",
    "World",
    "cast_ray",
    "cast_ray_batch",
    "cast_shape",
    "check",
    "closest_approach",
    "contains",
    "depth",
    "depth_batch",
    "distance",
    "distance_batch",
    "distance_pairs",
    "evidence",
    "intersects",
    "intersects_batch",
    "intersects_pairs",
    "manifold",
    "project_point",
    "project_point_batch",
    "signed_distance",
    "signed_distance_to_point",
    "signed_distance_to_point_batch",
    "time_of_impact",
    "verify",
    "within",
    "within_batch",
]
