"""The common part of the adapters of Python libraries: the protocol, and shapes and poses of the input.

An adapter subclasses `Library`, says how it builds the shapes that it has and how it answers about two of them, and calls `serve`. Lines and
answers are described in suite/README.md. Cylinders, cones and capsules stand along y there; `Placed` has them along z, as most libraries do.
"""

import json
import math
import os
import sys

PROTOCOL = "clearance-conformance/1"


class Unsupported(Exception):
    """The library does not have the shape or the question, or refuses to build the shape."""


class Pose:
    """A rotation, as rows of a matrix, and a translation."""

    def __init__(self, rotation, translation):
        self.rotation = rotation
        self.translation = translation

    def __mul__(self, other):
        rotation = [[sum(r[k] * other.rotation[k][j] for k in range(3)) for j in range(3)] for r in self.rotation]
        return Pose(rotation, self.point(other.translation))

    def vector(self, v):
        return [sum(row[k] * v[k] for k in range(3)) for row in self.rotation]

    def point(self, p):
        return [x + y for x, y in zip(self.vector(p), self.translation)]

    def moved(self, by):
        return Pose(self.rotation, [x + y for x, y in zip(self.translation, by)])


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
# Turns that exchange coordinates and round nothing: z to x, to y, and as it is.
TO_AXIS = {
    "x": [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    "y": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    "z": IDENTITY,
}


def rotation_of(quaternion):
    """The matrix of a quaternion x, y, z, w of any length."""
    x, y, z, w = quaternion
    n = x * x + y * y + z * z + w * w
    return [
        [1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n],
        [2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n],
        [2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n],
    ]


def pose_of(written):
    written = written or {}
    rotation = rotation_of(written["rotation"]) if "rotation" in written else IDENTITY
    return Pose(rotation, [float(x) for x in written.get("translation", [0, 0, 0])])


def about(axis, center=(0.0, 0.0, 0.0)):
    """The pose that has z along a vector."""
    length = math.sqrt(sum(x * x for x in axis))
    z = [x / length for x in axis]
    for name, k in (("x", 0), ("y", 1), ("z", 2)):
        if z[k] == 1.0:
            return Pose(TO_AXIS[name], list(center))
    least = min(range(3), key=lambda k: abs(z[k]))
    e = [1.0 if k == least else 0.0 for k in range(3)]
    x = [z[1] * e[2] - z[2] * e[1], z[2] * e[0] - z[0] * e[2], z[0] * e[1] - z[1] * e[0]]
    length = math.sqrt(sum(c * c for c in x))
    x = [c / length for c in x]
    y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
    return Pose([[x[k], y[k], z[k]] for k in range(3)], list(center))


def hull_faces(points):
    """The triangles of a convex hull, counter-clockwise seen from outside, and the points that are corners."""
    import numpy
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(numpy.array(points, dtype=float))
    except (QhullError, ValueError) as error:
        raise Unsupported("a hull without volume") from error
    number = {int(v): i for i, v in enumerate(hull.vertices)}
    corners = [points[v] for v in hull.vertices]
    faces = []
    for (i, j, k), plane in zip(hull.simplices, hull.equations):
        a, b, c = (numpy.array(points[v], dtype=float) for v in (i, j, k))
        face = [number[int(v)] for v in (i, j, k)]
        faces.append(face if numpy.dot(numpy.cross(b - a, c - a), plane[:3]) > 0 else [face[0], face[2], face[1]])
    return corners, faces


class Part:
    """A convex shape or a mesh, in words of its own frame, and where that frame is in the body."""

    def __init__(self, kind, fields, pose):
        self.kind, self.fields, self.pose = kind, fields, pose


def parts_of(shape, pose=None):
    """The parts of a shape. Segments and rounded ones are capsules, rounded points balls; axes are turned to z."""
    pose = pose or Pose(IDENTITY, [0.0, 0.0, 0.0])
    ((kind, fields),) = ((k, v) for k, v in shape.items() if not k.startswith("_"))
    if kind == "compound":
        return [part for each in fields for part in parts_of(each["shape"], pose * pose_of(each.get("pose")))]
    if kind == "rounded":
        ((inner, core),) = fields["shape"].items()
        radius = fields["radius"]
        if inner == "point":
            return [Part("sphere", {"radius": radius}, pose)]
        if inner == "sphere":
            return [Part("sphere", {"radius": core["radius"] + radius}, pose)]
        if inner == "segment":
            return [capsule_between(core["a"], core["b"], radius, pose)]
        (part,) = parts_of(fields["shape"], pose)
        return [Part("rounded", {"part": part, "radius": radius}, pose)]
    if kind == "segment":
        # A capsule of no radius is the same set.
        return [capsule_between(fields["a"], fields["b"], 0.0, pose)]
    if kind in ("capsule", "cylinder", "cone"):
        return [Part(kind, fields, pose * Pose(TO_AXIS[fields.get("axis", "y")], [0.0, 0.0, 0.0]))]
    return [Part(kind, fields, pose)]


def capsule_between(a, b, radius, pose):
    way = [y - x for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in way))
    center = [(x + y) / 2 for x, y in zip(a, b)]
    if length == 0:
        return Part("sphere", {"radius": radius}, pose * Pose(IDENTITY, center))
    return Part("capsule", {"radius": radius, "half_height": length / 2}, pose * about(way, center))


def half_space(fields):
    """The unit normal and the offset along it."""
    length = math.sqrt(sum(x * x for x in fields["normal"]))
    return [x / length for x in fields["normal"]], fields["offset"] / length


def is_convex(parts):
    return len(parts) == 1 and parts[0].kind != "mesh"


class Library:
    """A library: what it is called, and how it answers. `build` makes whatever `intersects` and `distance` take."""

    version = ""
    precision = "double"
    lacks = ()

    def build(self, part):
        raise Unsupported(part.kind)

    def intersects(self, a, pose_a, b, pose_b):
        raise Unsupported("intersects")

    def distance(self, a, pose_a, b, pose_b):
        """The gap, or None for an overlap; or a signed distance and a normal from A to B, or None, for convex shapes."""
        raise Unsupported("distance")

    def signed_distance(self, a, pose_a, b, pose_b):
        """The signed distance of convex shapes, and the normal from A to B or None."""
        raise Unsupported("depth")

    def ray(self, a, pose_a, origin, direction, longest):
        """The distance at which a ray hits, or None."""
        raise Unsupported("rays")

    def cast(self, line, parts_a, parts_b):
        raise Unsupported("casts of shapes")

    def impact(self, line, parts_a, parts_b):
        raise Unsupported("times of impact")

    # Many parts: any of them meets, the nearest counts. How deep a union is no library here says.

    def answer(self, line):
        asked = line["query"]
        parts_a = parts_of(line["a"], pose_of(line.get("pose_a")))
        if asked == "cast" and "origin" in line:
            length = math.sqrt(sum(x * x for x in line["direction"]))
            direction = [x / length for x in line["direction"]]
            hits = [self.ray(self.build(p), p.pose, line["origin"], direction, line["max"]) for p in parts_a]
            hits = [hit for hit in hits if hit is not None]
            return {"hit": True, "distance": min(hits)} if hits else {"hit": False}
        if asked in ("cast", "impact"):
            parts_a, parts_b = parts_of(line["a"]), parts_of(line["b"])
            return (self.cast if asked == "cast" else self.impact)(line, parts_a, parts_b)
        parts_b = parts_of(line["b"], pose_of(line.get("pose_b")))
        built_a, built_b = [self.build(p) for p in parts_a], [self.build(p) for p in parts_b]
        pairs = [(a, p.pose, b, q.pose) for a, p in zip(built_a, parts_a) for b, q in zip(built_b, parts_b)]
        if asked == "intersects":
            return {"intersects": any(self.intersects(*pair) for pair in pairs)}
        if is_convex(parts_a) and is_convex(parts_b) and asked == "distance":
            found, normal = self.signed_distance(*pairs[0])
            answer = {"distance": found}
            if normal is not None and found < 0:
                answer["normal"] = [float(x) for x in normal]
            return answer
        if asked in ("distance", "depth"):
            gaps = [self.distance(*pair) for pair in pairs]
            if any(gap is None for gap in gaps):
                return {"intersects": True}
            if asked == "depth":
                raise Unsupported("depths of solids")
            return {"distance": min(gaps)}
        raise Unsupported(asked)


def plain(value):
    """Numbers that JSON has no word for: NaN is a string, minus infinity is null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return None if value < 0 else "inf"
    return value


def serve(packages, make):
    """Answers lines until there are no more. `make` imports the packages and gives the library."""
    # Output of a library is no answer.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer):
        out.write(json.dumps(plain(answer), allow_nan=False) + "\n")
        out.flush()

    try:
        library = make()
    except ImportError as error:
        folder = os.path.dirname(os.path.abspath(__file__))
        requirements = os.path.relpath(os.path.join(folder, "requirements.txt"))
        say({"missing": f"{error}; get {packages} by `python3 -m pip install -r {requirements}`"})
        return
    for text in sys.stdin:
        try:
            line = json.loads(text)
            if "protocol" in line:
                say({"protocol": PROTOCOL, "version": library.version, "precision": library.precision, "lacks": list(library.lacks)})
                continue
            answer = library.answer(line)
        except Unsupported as what:
            answer = {"unsupported": str(what)}
        except Exception as error:  # whatever a library raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        say(answer)
