"""MuJoCo (https://github.com/google-deepmind/mujoco), by its Python package: signed distances by `mj_geomDistance`, yes or no by the contacts of
`mj_collision`, rays by `mj_ray`. Its meshes are convex hulls, with vertices in single precision."""

import math

from conformance import Library, Unsupported, half_space, hull_faces, serve


def make():
    import mujoco
    import numpy

    geometries = mujoco.mjtGeom

    class Mujoco(Library):
        version = f"MuJoCo {mujoco.__version__}"
        # A ray from inside of a body goes to its far side.
        lacks = ("solid", "inside")

        def build(self, part):
            kind, fields = part.kind, part.fields
            size = lambda name: float(fields[name])
            if kind == "sphere":
                return geometries.mjGEOM_SPHERE, [size("radius"), 0, 0], None
            if kind == "cuboid":
                return geometries.mjGEOM_BOX, [float(x) for x in fields["half_extents"]], None
            if kind == "capsule":
                return geometries.mjGEOM_CAPSULE, [size("radius"), size("half_height"), 0], None
            if kind == "cylinder":
                return geometries.mjGEOM_CYLINDER, [size("radius"), size("half_height"), 0], None
            if kind == "ellipsoid":
                return geometries.mjGEOM_ELLIPSOID, [float(x) for x in fields["radii"]], None
            if kind == "half_space":
                return geometries.mjGEOM_PLANE, [0, 0, 1], half_space(fields)
            if kind == "hull":
                corners, _ = hull_faces(fields["points"])
                return geometries.mjGEOM_MESH, [1, 1, 1], corners
            raise Unsupported(kind)

        def model(self, *bodies):
            spec = mujoco.MjSpec()
            spec.option.ccd_tolerance = TOLERANCE
            spec.option.ccd_iterations = 1000
            # Masses do not matter here, and must not keep small bodies from being built.
            spec.compiler.boundmass = 1.0
            spec.compiler.boundinertia = 1.0
            for number, ((kind, size, more), pose) in enumerate(bodies):
                if kind == geometries.mjGEOM_PLANE:
                    # Planes belong to the world.
                    normal, offset = more
                    where, axis = pose.point([offset * x for x in normal]), pose.vector(normal)
                    spec.worldbody.add_geom(name=f"geom{number}", type=kind, size=size, pos=where, quat=toward(axis))
                    continue
                # A joint each, since what does not move is not checked against each other.
                body = spec.worldbody.add_body()
                body.add_freejoint()
                geom = body.add_geom(name=f"geom{number}", type=kind, size=size, mass=1.0)
                if kind == geometries.mjGEOM_MESH:
                    mesh = spec.add_mesh(name=f"mesh{number}", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
                    mesh.uservert = numpy.array(more, dtype=float).flatten()
                    geom.meshname = f"mesh{number}"
                    geom.size = [0, 0, 0]
                geom.pos = pose.translation
                geom.quat = quaternion(pose.rotation)
            try:
                model = spec.compile()
            except ValueError as error:
                raise Unsupported(f"it does not build the model ({str(error).splitlines()[0]})") from error
            data = mujoco.MjData(model)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            return model, data

        def intersects(self, a, pose_a, b, pose_b):
            model, data = self.model((a, pose_a), (b, pose_b))
            if a[0] == b[0] == geometries.mjGEOM_PLANE:
                raise Unsupported("two planes")
            mujoco.mj_collision(model, data)
            ids = {mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in ("geom0", "geom1")}
            contacts = [data.contact[i] for i in range(data.ncon)]
            return any({int(c.geom1), int(c.geom2)} == ids and c.dist <= 0 for c in contacts)

        def signed_distance(self, a, pose_a, b, pose_b):
            if a[0] == b[0] == geometries.mjGEOM_PLANE:
                raise Unsupported("two planes")
            model, data = self.model((a, pose_a), (b, pose_b))
            one, two = (mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in ("geom0", "geom1"))
            ends = numpy.zeros(6)
            distance = mujoco.mj_geomDistance(model, data, one, two, 1e10, ends)
            way = ends[3:] - ends[:3]
            # From a point of A to one of B, which an overlap has the other way round.
            length = numpy.linalg.norm(way)
            return distance, -way / length if distance < 0 and length > 0 else None

        def distance(self, a, pose_a, b, pose_b):
            distance, _ = self.signed_distance(a, pose_a, b, pose_b)
            return distance if distance > 0 else None

        def ray(self, a, pose_a, origin, direction, longest):
            model, data = self.model((a, pose_a))
            hit = numpy.zeros(1, dtype=numpy.int32)
            distance = mujoco.mj_ray(model, data, numpy.array(origin, dtype=float), numpy.array(direction), None, True, -1, hit)
            return None if distance < 0 or distance > longest else distance

    return Mujoco()


def quaternion(m):
    """The quaternion w, x, y, z of a rotation, from its largest component."""
    trace = m[0][0] + m[1][1] + m[2][2]
    if trace >= max(m[0][0], m[1][1], m[2][2]):
        w = math.sqrt(1 + trace) / 2
        return [w, (m[2][1] - m[1][2]) / (4 * w), (m[0][2] - m[2][0]) / (4 * w), (m[1][0] - m[0][1]) / (4 * w)]
    i = max(range(3), key=lambda k: m[k][k])
    j, k = (i + 1) % 3, (i + 2) % 3
    x = math.sqrt(max(0.0, 1 + m[i][i] - m[j][j] - m[k][k])) / 2
    q = [(m[k][j] - m[j][k]) / (4 * x), 0.0, 0.0, 0.0]
    q[1 + i], q[1 + j], q[1 + k] = x, (m[j][i] + m[i][j]) / (4 * x), (m[k][i] + m[i][k]) / (4 * x)
    return q


def toward(axis):
    """A quaternion that turns z to a unit vector."""
    x, y, z = axis
    if z < -0.999999:
        # Half a turn about x, then the small rest.
        rest = toward([x, -y, -z])
        w, a, b, c = rest
        return [-a, w, -c, b]
    half = math.sqrt((1 + z) / 2)
    return [half, -y / (2 * half), x / (2 * half), 0.0]


# The best of 1e-6, 1e-9 and 1e-12 by this suite.
TOLERANCE = 1e-9
if __name__ == "__main__":
    serve("MuJoCo", make)
