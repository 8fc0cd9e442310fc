"""Batches: shapes of arrays, the same bits as single queries, no copies, threads, and interrupts."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from shapes import kinds, matrices, random_poses, sphere_mesh

from clearance import (
    Pose,
    Shape,
    World,
    cast_ray,
    cast_ray_batch,
    depth,
    depth_batch,
    distance,
    distance_batch,
    distance_pairs,
    intersects,
    intersects_batch,
    intersects_pairs,
    project_point,
    project_point_batch,
    signed_distance_to_point_batch,
    within,
    within_batch,
)


@pytest.mark.parametrize("name", kinds())
def test_a_batch_has_the_bits_of_single_queries(name):
    a, b = kinds()[name], kinds()["hull"]
    rows = random_poses(150, seed=11)
    full = distance_batch(a, b, rows, full=True)
    assert np.array_equal(distance_batch(a, b, rows), full.distance)
    touch, near = intersects_batch(a, b, rows), within_batch(a, b, 0.5, rows)
    for i, row in enumerate(rows):
        c = distance(a, b, row)
        got = [field[i] for field in full]
        assert got[:3] == [c.distance, c.lower, c.upper]
        for one, other in zip(got[3:], (c.point_a, c.point_b, c.normal)):
            assert np.array_equal(one, other)
        assert touch[i] == intersects(a, b, row) and near[i] == (within(a, b, 0.5, row) is not None)


def test_the_same_bits_for_any_number_of_threads():
    a, b = kinds()["hull"], kinds()["cone"]
    poses = matrices(random_poses(1000, seed=2))
    for warm in (False, True):
        one = distance_batch(a, b, poses, full=True, threads=1, warm=warm)
        for threads in (2, 3, 7, None):
            many = distance_batch(a, b, poses, full=True, threads=threads, warm=warm)
            assert all(x.tobytes() == y.tobytes() for x, y in zip(one, many))


def test_any_leading_shape_comes_back():
    ball = Shape.sphere(radius=0.5)
    for lead in [(), (1,), (5,), (2, 3), (2, 1, 4), (0,), (3, 0)]:
        count = int(np.prod(lead))
        rows = random_poses(count).reshape(*lead, 7)
        wide = matrices(random_poses(count)).reshape(*lead, 4, 4) if count else np.zeros((*lead, 4, 4))
        for poses in (rows, wide):
            assert distance_batch(ball, ball, poses).shape == lead
            assert intersects_batch(ball, ball, poses).shape == lead
            full = distance_batch(ball, ball, poses, full=True)
            assert full.lower.shape == lead and full.normal.shape == (*lead, 3)
            assert depth_batch(ball, ball, poses).translation.shape == (*lead, 3)
    assert distance_batch(ball, ball).shape == ()


def test_leading_shapes_are_broadcast():
    cube, ball = Shape.box(size=[1.0, 1.0, 1.0]), Shape.sphere(radius=0.5)
    a, b = random_poses(3, seed=1).reshape(3, 1, 7), matrices(random_poses(4, seed=2))
    both = distance_batch(cube, ball, b, pose_a=a)
    assert both.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            assert both[i, j] == distance(cube, ball, b[j], pose_a=a[i, 0]).distance
    fixed = Pose([0.1, 0.2, 0.3], quaternion_xyzw=[0.0, 0.0, 1.0, 2.0])
    assert distance_batch(cube, ball, b, pose_a=fixed)[2] == distance(cube, ball, b[2], pose_a=fixed).distance
    # A list of shapes belongs to the last axis.
    shapes = [cube, ball, cube, kinds()["hull"]]
    mixed = distance_batch(shapes, ball, b, pose_a=a)
    assert mixed[1, 3] == distance(shapes[3], ball, b[3], pose_a=a[1, 0]).distance
    assert mixed[2, 1] == distance(shapes[1], ball, b[1], pose_a=a[2, 0]).distance
    assert np.array_equal(distance_batch(ball, shapes, b), [distance(ball, s, p).distance for s, p in zip(shapes, b)])


def test_pairs_out_of_a_list():
    shapes = list(kinds().values())
    poses = random_poses(len(shapes), seed=8, spread=5.0)
    pairs = np.array([[i, j] for i in range(len(shapes)) for j in range(i)]).reshape(-1, 1, 2)
    found, touch = distance_pairs(shapes, poses, pairs), intersects_pairs(shapes, poses, pairs)
    assert found.shape == touch.shape == pairs.shape[:-1]
    for (i, j), gap, is_touching in zip(pairs[:, 0], found[:, 0], touch[:, 0]):
        c = distance(shapes[i], shapes[j], poses[j], pose_a=poses[i])
        assert gap == c.distance and is_touching == c.is_overlapping


def test_input_is_neither_copied_nor_changed():
    ball = Shape.sphere(radius=0.5)
    poses = random_poses(4000)
    poses.flags.writeable = False
    before = poses.tobytes()
    plain = distance_batch(ball, ball, poses)
    assert poses.tobytes() == before
    # Other layouts and dtypes are copied, and mean the same.
    assert np.array_equal(distance_batch(ball, ball, np.asfortranarray(poses)), plain)
    assert np.array_equal(distance_batch(ball, ball, np.repeat(poses, 2, axis=0)[::2]), plain)
    assert np.array_equal(distance_batch(ball, ball, poses[::-1])[::-1], plain)
    assert np.array_equal(distance_batch(ball, ball, poses.astype(">f8")), plain)
    odd = np.frombuffer(b"." + before, dtype=np.uint8)[1:].view(np.float64).reshape(poses.shape)
    assert not odd.flags.aligned and np.array_equal(distance_batch(ball, ball, odd), plain)
    assert np.allclose(distance_batch(ball, ball, poses.astype(np.float32)), plain, atol=1e-5)
    whole = np.zeros((3, 7), dtype=np.int32)
    whole[:, 6], whole[:, 0] = 1, [1, 2, 3]
    assert distance_batch(ball, ball, whole).tolist() == [0.0, 1.0, 2.0]


def test_rays_and_points_are_single_queries():
    rng = np.random.default_rng(4)
    for name in ("box", "hull", "mesh", "compound", "half_space"):
        shape, pose = kinds()[name], Pose([0.1, 0.2, 0.3], quaternion_xyzw=[0.1, 0.2, 0.3, 1.0])
        origins, directions = rng.normal(size=(100, 3)) * 3.0, rng.normal(size=(100, 3))
        hits = cast_ray_batch(shape, origins, directions, pose=pose, max_distance=8.0, full=True)
        found = project_point_batch(shape, origins, pose=pose)
        assert np.array_equal(signed_distance_to_point_batch(shape, origins, pose=pose), found.distance)
        for i in range(100):
            hit = cast_ray(shape, origins[i], directions[i], pose=pose, max_distance=8.0)
            if hit is None:
                assert hits.distance[i] == np.inf and hits.number[i] == -1
            else:
                assert (hits.distance[i], hits.lower[i], hits.upper[i]) == (hit.distance, hit.lower, hit.upper)
                assert np.array_equal(hits.point[i], hit.point) and np.array_equal(hits.normal[i], hit.normal)
                assert hits.is_inside[i] == hit.is_inside
            one = project_point(shape, origins[i], pose=pose)
            assert (found.distance[i], found.lower[i], found.upper[i]) == (one.distance, one.lower, one.upper)
            assert np.array_equal(found.point[i], one.point)
    # One origin for many directions, a limit for each ray, and the way out of a ball.
    fan = cast_ray_batch(Shape.sphere(radius=1.0), [0.0, 0.0, 0.0], rng.normal(size=(4, 5, 3)), boundary=True)
    assert fan.shape == (4, 5) and np.allclose(fan, 1.0, atol=1e-14)
    limits = cast_ray_batch(Shape.sphere(radius=1.0), [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0], max_distance=[3.0, 4.5])
    assert limits.tolist() == [np.inf, 4.0]


def test_a_world_answers_batches():
    world = World()
    empty = signed_distance_to_point_batch(world, [[0.0, 0.0, 0.0]])
    assert empty.tolist() == [np.inf]
    for i in range(20):
        world.add(f"ball {i}", Shape.sphere(radius=0.25), Pose([float(i), 0.0, 0.0]))
    points = np.random.default_rng(0).uniform([-1, -2, -2], [20, 2, 2], (500, 3))
    centers = np.stack([np.arange(20.0), np.zeros(20), np.zeros(20)], axis=1)
    truth = np.linalg.norm(points[:, None] - centers, axis=2).min(axis=1) - 0.25
    found = project_point_batch(world, points)
    assert np.allclose(found.distance, truth, atol=1e-12) and np.all(found.lower <= truth + 1e-14)
    assert world.name_of(int(found.number[0])) == f"ball {np.linalg.norm(points[0] - centers, axis=1).argmin()}"
    rays = cast_ray_batch(world, [[-5.0, 0.0, 0.0], [0.5, -9.0, 0.0], [7.0, -9.0, 0.0]], [[1, 0, 0], [0, 1, 0], [0, 1, 0]], full=True)
    assert rays.number.tolist() == [0, -1, 7] and rays.distance.tolist() == [4.75, np.inf, 8.75]


def test_depths_are_single_depths():
    mesh = Shape.mesh(*sphere_mesh(8))
    rows = random_poses(8, seed=6, spread=0.8)
    found = depth_batch(mesh, mesh, rows, nodes=60)
    for i, row in enumerate(rows):
        one = depth(mesh, mesh, row, nodes=60)
        assert (found.lower[i], found.upper[i]) == (one.lower, one.upper) and np.array_equal(found.translation[i], one.translation)


def test_the_first_bad_query_is_named_whatever_the_threads_do():
    ball, poses = Shape.sphere(radius=0.5), random_poses(20_000)
    poses[[777, 4444, 19_999], 1] = [np.nan, np.inf, 1e70]
    for threads in (1, 2, 5):
        with pytest.raises(ValueError, match=r"^pose_b\[777\]\.translation\.y is NaN, but must be a finite number$"):
            distance_batch(ball, ball, poses, threads=threads)
    wide = np.tile(np.eye(4), (3, 4, 1, 1))
    wide[2, 1] *= 2.0
    with pytest.raises(ValueError, match=r"^pose_a\[2, 1\]\.matrix is not rigid"):
        distance_batch(ball, ball, pose_a=wide)
    with pytest.raises(ValueError, match=r"^directions\[1\] has no direction"):
        cast_ray_batch(ball, [0.0, 0.0, 0.0], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match=r"^points\[1\]\.z is inf"):
        signed_distance_to_point_batch(ball, [[0.0, 0.0, 0.0], [0.0, 0.0, np.inf]])


def test_python_threads_share_shapes_and_worlds():
    hull, poses = kinds()["hull"], random_poses(300)
    truth, world = distance_batch(hull, hull, poses), World()
    world.add("hull", hull)
    wrong: list[str] = []

    def work(seed: int) -> None:
        for i in range(20):
            if not np.array_equal(distance_batch(hull, hull, poses), truth):
                wrong.append("a distance")
            world.set_pose("hull", Pose([float(seed + i), 0.0, 0.0]))
            world.update()
            if not np.all(np.isfinite(signed_distance_to_point_batch(world, poses[:, :3]))):
                wrong.append("a point")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert wrong == []


def test_other_python_threads_run_during_a_batch():
    mesh = Shape.mesh(*sphere_mesh(40))
    poses = random_poses(3000, spread=1.0)
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    distance_batch(mesh, mesh, poses)
    during = ticks[0] - before
    done.set()
    thread.join()
    assert during >= 3


SLEEPER = """
import numpy as np
from clearance import Shape, distance_batch
from shapes import sphere_mesh
mesh = Shape.mesh(*sphere_mesh(48))
poses = np.zeros((2_000_000, 7)); poses[:, 6] = 1.0; poses[:, 0] = 0.5
print("ready", flush=True)
try:
    distance_batch(mesh, mesh, poses)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(distance_batch(mesh, mesh, poses[:2]).shape, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_stops_a_batch():
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    with subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert rest == "interrupted\n(2,)\n" and process.returncode == 0


def _in_child(poses: np.ndarray) -> bytes:
    hull = kinds()["hull"]
    return distance_batch(hull, hull, poses).tobytes()


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_a_child_process_has_threads_of_its_own(method):
    poses = random_poses(500)
    truth = _in_child(poses)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(_in_child, (poses,)).get(timeout=60) == truth


def test_batches_of_answers_pickle():
    found = distance_batch(Shape.point(), Shape.point(), random_poses(3), full=True)
    again = pickle.loads(pickle.dumps(found))
    assert all(np.array_equal(x, y) for x, y in zip(found, again)) and again._fields == found._fields


def test_memory_does_not_grow():
    ball, poses = Shape.sphere(radius=0.5), random_poses(20_000)
    import resource

    def peak() -> int:
        for _ in range(20):
            distance_batch(ball, ball, poses, full=True)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    first = peak()
    # Twenty results of 2 MB each would show.
    assert peak() - first < 20_000
