"""FCL (https://github.com/flexible-collision-library/fcl), by python-fcl: distances and depths by `distance`, yes or no by `collide`, times by
`continuousCollide`, with conservative advancement."""

import math

from conformance import Library, Pose, Unsupported, half_space, hull_faces, pose_of, rotation_of, serve


def make():
    import fcl
    import numpy

    class Fcl(Library):
        version = f"python-fcl {fcl.__version__}"
        # Meshes are surfaces; there is nothing about rays.
        lacks = ("solid",)

        def build(self, part):
            kind, fields = part.kind, part.fields
            size = lambda name: float(fields[name])
            if kind == "sphere":
                return fcl.Sphere(size("radius"))
            if kind == "point":
                return fcl.Sphere(0.0)
            if kind == "cuboid":
                return fcl.Box(*(2.0 * x for x in fields["half_extents"]))
            if kind == "capsule":
                return fcl.Capsule(size("radius"), 2 * size("half_height"))
            if kind == "cylinder":
                return fcl.Cylinder(size("radius"), 2 * size("half_height"))
            if kind == "cone":
                return fcl.Cone(size("radius"), 2 * size("half_height"))
            if kind == "ellipsoid":
                return fcl.Ellipsoid(*(float(x) for x in fields["radii"]))
            if kind == "triangle":
                return fcl.TriangleP(*(numpy.array(fields[c], dtype=float) for c in "abc"))
            if kind == "half_space":
                normal, offset = half_space(fields)
                return fcl.Halfspace(numpy.array(normal), offset)
            if kind == "hull":
                corners, faces = hull_faces(fields["points"])
                flat = [number for face in faces for number in [3] + face]
                return fcl.Convex(numpy.array(corners, dtype=float), len(faces), numpy.array(flat))
            if kind == "mesh":
                mesh = fcl.BVHModel()
                mesh.beginModel(len(fields["vertices"]), len(fields["triangles"]))
                mesh.addSubModel(numpy.array(fields["vertices"], dtype=float), numpy.array(fields["triangles"]))
                mesh.endModel()
                return mesh
            raise Unsupported(kind)

        @staticmethod
        def place(shape, pose):
            return fcl.CollisionObject(shape, fcl.Transform(numpy.array(pose.rotation), numpy.array(pose.translation)))

        def intersects(self, a, pose_a, b, pose_b):
            request, result = fcl.CollisionRequest(), fcl.CollisionResult()
            return fcl.collide(self.place(a, pose_a), self.place(b, pose_b), request, result) > 0

        def found(self, a, pose_a, b, pose_b, is_signed):
            request = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=is_signed)
            result = fcl.DistanceResult()
            return fcl.distance(self.place(a, pose_a), self.place(b, pose_b), request, result), result

        def distance(self, a, pose_a, b, pose_b):
            if self.intersects(a, pose_a, b, pose_b):
                return None
            return self.checked(self.found(a, pose_a, b, pose_b, False)[0])

        @staticmethod
        def checked(distance):
            # The largest double is what it says when it has no such pair.
            if distance >= 1e300:
                raise Unsupported("it has no distance of such a pair")
            return distance

        def signed_distance(self, a, pose_a, b, pose_b):
            # Half-spaces have contacts, and their own code for them.
            if isinstance(a, fcl.Halfspace) or isinstance(b, fcl.Halfspace):
                if self.intersects(a, pose_a, b, pose_b):
                    return self.contact(a, pose_a, b, pose_b)
            # A gap is more exact without a request for the sign; an overlap is then -1.
            distance = self.checked(self.found(a, pose_a, b, pose_b, False)[0])
            if distance > 0:
                return distance, None
            distance, result = self.found(a, pose_a, b, pose_b, True)
            if distance == -1:
                return self.contact(a, pose_a, b, pose_b)
            one, two = (numpy.array(point) for point in result.nearest_points)
            return distance, (one - two) / numpy.linalg.norm(one - two) if numpy.any(one != two) else None

        def contact(self, a, pose_a, b, pose_b):
            request, result = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True), fcl.CollisionResult()
            fcl.collide(self.place(a, pose_a), self.place(b, pose_b), request, result)
            if not result.contacts:
                raise Unsupported("depth")
            deepest = max(result.contacts, key=lambda contact: contact.penetration_depth)
            return -deepest.penetration_depth, deepest.normal

        def impact(self, line, parts_a, parts_b):
            if len(parts_a) != 1 or len(parts_b) != 1:
                raise Unsupported("times of impact of compounds")
            begin, until = line.get("from", 0.0), line["until"]
            starts, ends, is_turning, shapes = [], [], False, []
            for part, side in zip((parts_a[0], parts_b[0]), "ab"):
                pose = pose_of(line.get("pose_" + side))
                ((kind, motion),) = (line.get("motion_" + side) or {"fixed": {}}).items()
                if kind not in ("fixed", "linear"):
                    raise Unsupported(f"motions of the kind {kind}")
                velocity, spin = motion.get("velocity", [0, 0, 0]), motion.get("angular_velocity", [0, 0, 0])
                if any(motion.get("center", [0, 0, 0])):
                    raise Unsupported("turning about a point that is not the origin of the body")
                is_turning = is_turning or any(spin)
                shapes.append(self.build(part))
                for time, poses in ((begin, starts), (until, ends)):
                    poses.append(turned(pose, velocity, spin, time) * part.pose)
            if is_turning and any(math.sqrt(sum(x * x for x in motion_spin(line, s))) * (until - begin) >= math.pi for s in "ab"):
                raise Unsupported("turns of more than half a circle between two poses")
            if self.intersects(shapes[0], starts[0], shapes[1], starts[1]):
                return {"impact": "touching"}
            request = fcl.ContinuousCollisionRequest(
                num_max_iterations=10000,
                # The better of its two solvers for this; `distance` and `collide` take no notice of it.
                gjk_solver_type=fcl.GJKSolverType.GST_INDEP,
                toc_err=1e-9,
                ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR if is_turning else fcl.CCDMotionType.CCDM_TRANS,
                ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
            )
            result = fcl.ContinuousCollisionResult()
            objects = [self.place(shape, pose) for shape, pose in zip(shapes, starts)]
            last = [fcl.Transform(numpy.array(pose.rotation), numpy.array(pose.translation)) for pose in ends]
            toc = fcl.continuousCollide(objects[0], last[0], objects[1], last[1], request, result)
            if toc < 0:
                raise Unsupported("it has no such pair")
            if not result.is_collide:
                return {"impact": "clear"}
            return {"impact": "hit", "time": begin + result.time_of_contact * (until - begin)}

    return Fcl()


def motion_spin(line, side):
    motion = line.get("motion_" + side) or {}
    return motion.get("linear", {}).get("angular_velocity", [0, 0, 0])


def turned(pose, velocity, spin, time):
    """Where a body is at a time."""
    rate = math.sqrt(sum(x * x for x in spin))
    rotation = pose.rotation
    if rate > 0:
        half = rate * time / 2
        turn = rotation_of([x / rate * math.sin(half) for x in spin] + [math.cos(half)])
        rotation = (Pose(turn, [0, 0, 0]) * Pose(rotation, [0, 0, 0])).rotation
    return Pose(rotation, [x + v * time for x, v in zip(pose.translation, velocity)])


if __name__ == "__main__":
    serve("python-fcl", make)
