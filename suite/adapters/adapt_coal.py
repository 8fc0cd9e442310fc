"""Coal (https://github.com/coal-library/coal), by its Python package: distances and depths by `distance`, yes or no by `collide`."""

import math

from conformance import Library, Unsupported, half_space, hull_faces, serve


def asked(call, *arguments):
    """A call, where an exception that says that there is no such pair is no fault."""
    try:
        return call(*arguments)
    except ValueError as error:
        if "not supported" in str(error) or "not yet supported" in str(error):
            raise Unsupported("it has no such pair") from error
        raise


def make():
    import coal
    import numpy

    class Coal(Library):
        version = f"Coal {coal.__version__}"
        # Meshes are surfaces; there is nothing about rays and about time.
        lacks = ("solid",)

        def build(self, part):
            kind, fields = part.kind, part.fields
            size = lambda name: float(fields[name])
            if kind == "rounded":
                shape = self.build(fields["part"])
                part.pose = fields["part"].pose
                if not isinstance(shape, coal.ShapeBase):
                    raise Unsupported("rounded meshes")
                shape.setSweptSphereRadius(float(fields["radius"]))
                return shape
            if kind == "sphere":
                return coal.Sphere(size("radius"))
            if kind == "point":
                return coal.Sphere(0.0)
            if kind == "cuboid":
                return coal.Box(*(2.0 * x for x in fields["half_extents"]))
            if kind == "capsule":
                return coal.Capsule(size("radius"), 2 * size("half_height"))
            if kind == "cylinder":
                return coal.Cylinder(size("radius"), 2 * size("half_height"))
            if kind == "cone":
                return coal.Cone(size("radius"), 2 * size("half_height"))
            if kind == "ellipsoid":
                return coal.Ellipsoid(*(float(x) for x in fields["radii"]))
            if kind == "triangle":
                return coal.TriangleP(*(numpy.array(fields[c], dtype=float) for c in "abc"))
            if kind == "half_space":
                normal, offset = half_space(fields)
                return coal.Halfspace(numpy.array(normal), offset)
            if kind == "hull":
                return self.hull(fields["points"])
            if kind == "mesh":
                return self.mesh(fields)
            raise Unsupported(kind)

        def hull(self, points):
            corners, faces = hull_faces(points)
            vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            for corner in corners:
                vertices.append(numpy.array(corner, dtype=float))
            for face in faces:
                triangles.append(coal.Triangle(*face))
            return coal.Convex(vertices, triangles)

        def mesh(self, fields):
            mesh = coal.BVHModelOBBRSS()
            mesh.beginModel(len(fields["triangles"]), len(fields["vertices"]))
            vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            for vertex in fields["vertices"]:
                vertices.append(numpy.array(vertex, dtype=float))
            for corners in fields["triangles"]:
                triangles.append(coal.Triangle(*corners))
            mesh.addSubModel(vertices, triangles)
            mesh.endModel()
            return mesh

        @staticmethod
        def place(pose):
            return coal.Transform3s(numpy.array(pose.rotation), numpy.array(pose.translation))

        @staticmethod
        def settings(request):
            request.gjk_tolerance = TOLERANCE
            request.epa_tolerance = TOLERANCE
            request.gjk_max_iterations = ITERATIONS
            request.epa_max_iterations = ITERATIONS
            return request

        def intersects(self, a, pose_a, b, pose_b):
            request = self.settings(coal.CollisionRequest())
            return asked(coal.collide, a, self.place(pose_a), b, self.place(pose_b), request, coal.CollisionResult()) > 0

        def found(self, a, pose_a, b, pose_b, is_signed):
            request = self.settings(coal.DistanceRequest())
            request.enable_signed_distance = is_signed
            result = coal.DistanceResult()
            asked(coal.distance, a, self.place(pose_a), b, self.place(pose_b), request, result)
            return result

        def distance(self, a, pose_a, b, pose_b):
            if self.intersects(a, pose_a, b, pose_b):
                return None
            return self.found(a, pose_a, b, pose_b, False).min_distance

        def signed_distance(self, a, pose_a, b, pose_b):
            result = self.found(a, pose_a, b, pose_b, True)
            # The least double is its word for a depth without end.
            distance = result.min_distance if result.min_distance > -1e300 else -math.inf
            return distance, result.normal

    return Coal()


# The documentation recommends nothing below 1e-6; by this suite 1e-8 is the best of 1e-6, 1e-8 and 1e-10.
TOLERANCE = 1e-8
ITERATIONS = 1000
if __name__ == "__main__":
    serve("Coal", make)
