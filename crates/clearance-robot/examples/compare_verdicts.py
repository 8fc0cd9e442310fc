"""Compares verdicts and clearances with Coal on Pinocchio's kinematics (`pip install pin coal`), on the same pairs of links.

    cargo run --release -p clearance-robot --example figures -- verdicts robot.urdf robot.srdf PACKAGES 10000 | python compare_verdicts.py robot.urdf PACKAGES

Coal's meshes are surfaces, so a body inside another is no collision for it. A difference is judged by our bracket of the distance.
"""

import json
import sys

import numpy
import pinocchio

urdf, packages = sys.argv[1:]
model = pinocchio.buildModelFromUrdf(urdf, mimic=True)
geometry = pinocchio.buildGeomFromUrdf(model, urdf, pinocchio.GeometryType.COLLISION, package_dirs=[packages])
head = json.loads(sys.stdin.readline())
of_link = {}
for number, item in enumerate(geometry.geometryObjects):
    of_link.setdefault(model.frames[item.parentFrame].name, []).append(number)
for one, other in head["pairs"]:
    for a in of_link.get(one, []):
        for b in of_link.get(other, []):
            geometry.addCollisionPair(pinocchio.CollisionPair(min(a, b), max(a, b)))
data, geometry_data = model.createData(), geometry.createData()
counts, worst, outside = {}, 0.0, 0
for line in sys.stdin:
    record = json.loads(line)
    q = pinocchio.neutral(model)
    for name, value in zip(head["joints"], record["q"]):
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = [numpy.cos(value), numpy.sin(value)] if joint.nq == 2 else [value]
    theirs = pinocchio.computeCollisions(model, data, geometry, geometry_data, q, True)
    key = (record["verdict"], "yes" if theirs else "no")
    counts[key] = counts.get(key, 0) + 1
    if key in {("no", "yes"), ("yes", "no")}:
        print(f"differs: we say {record['verdict']} with {record['lower']:.3e} to {record['upper']:.3e}: {record['q']}")
    if key == ("no", "no"):
        pinocchio.computeDistances(model, data, geometry, geometry_data, q)
        least = min(result.min_distance for result in geometry_data.distanceResults)
        off = max(record["lower"] - least, least - record["upper"], 0.0)
        worst, outside = max(worst, off), outside + (off > 1e-9)
print(f"{len(geometry.collisionPairs)} pairs; (ours, theirs): {counts}; distances outside our bracket by more than 1e-9: {outside}, at most {worst:.1e}")
