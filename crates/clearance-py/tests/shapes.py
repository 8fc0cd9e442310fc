"""Shapes of every kind, and poses, for the tests."""

from __future__ import annotations

import numpy as np

from clearance import Pose, Shape

TETRAHEDRON = (
    np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
)


def sphere_mesh(segments: int, radius: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A closed mesh of a ball: rings between two poles."""
    rings = segments // 2
    theta = np.pi * np.arange(1, rings) / rings
    phi = 2.0 * np.pi * np.arange(segments) / segments
    ring = np.stack(
        [np.outer(np.sin(theta), np.cos(phi)), np.outer(np.sin(theta), np.sin(phi)), np.outer(np.cos(theta), np.ones(segments))],
        axis=-1,
    ).reshape(-1, 3)
    vertices = radius * np.concatenate([[[0.0, 0.0, 1.0]], ring, [[0.0, 0.0, -1.0]]])
    faces = []
    for j in range(segments):
        k = (j + 1) % segments
        faces.append([0, 1 + j, 1 + k])
        last = 1 + (rings - 2) * segments
        faces.append([len(vertices) - 1, last + k, last + j])
        for i in range(rings - 2):
            a, b = 1 + i * segments, 1 + (i + 1) * segments
            faces += [[a + j, b + j, b + k], [a + j, b + k, a + k]]
    return vertices, np.array(faces)


def kinds() -> dict[str, Shape]:
    """A shape of every kind."""
    cube = Shape.box(size=[1.0, 2.0, 3.0])
    mesh = Shape.mesh(*TETRAHEDRON)
    return {
        "point": Shape.point(),
        "sphere": Shape.sphere(radius=0.7),
        "box": cube,
        "capsule": Shape.capsule(radius=0.3, length=1.1, axis="x"),
        "cylinder": Shape.cylinder(radius=0.3, length=1.1, axis="x"),
        "cylinder_y": Shape.cylinder(radius=0.3, length=1.1, axis="y"),
        "cone": Shape.cone(radius=0.3, length=1.1),
        "ellipsoid": Shape.ellipsoid(radii=[0.3, 0.5, 0.9]),
        "segment": Shape.segment([0.0, 0.1, 0.2], [1.0, 0.0, 0.3]),
        "triangle": Shape.triangle([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.1]),
        "hull": Shape.hull(np.random.default_rng(3).normal(size=(30, 3))),
        "half_space": Shape.half_space(normal=[0.3, 0.2, 3.0], offset=0.25),
        "mesh": mesh,
        "shell": Shape.mesh(TETRAHEDRON[0], TETRAHEDRON[1][:3]),
        "transformed": Shape.sphere(radius=0.7).transformed([[1.0, 0.2, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]]),
        "rounded": cube.rounded(0.1),
        "grown": mesh.grown(0.1),
        "compound": Shape.compound([cube, (mesh, Pose(translation=[3.0, 0.1, 0.2], quaternion_xyzw=[1.0, 2.0, 3.0, 4.0]))]),
    }


def random_poses(count: int, seed: int = 0, spread: float = 3.0) -> np.ndarray:
    """Poses as rows of a translation and a quaternion."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(-spread, spread, (count, 3)), rng.normal(size=(count, 4))], axis=1)


def matrices(poses: np.ndarray) -> np.ndarray:
    """The same poses as matrices."""
    return np.stack([Pose(row[:3], quaternion_xyzw=row[3:]).matrix for row in poses])
