"""Compares poses of all links with those of Pinocchio (`pip install pin`), to the last digits.

    cargo run --release -p clearance-robot --example figures -- poses robot.urdf PACKAGES 10000 | python compare_poses.py robot.urdf
"""

import json
import sys

import numpy
import pinocchio

model = pinocchio.buildModelFromUrdf(sys.argv[1], mimic=True)
data = model.createData()
head = json.loads(sys.stdin.readline())
worst, count = 0.0, 0
for line in sys.stdin:
    record = json.loads(line)
    q = pinocchio.neutral(model)
    for name, value in zip(head["joints"], record["q"]):
        joint = model.joints[model.getJointId(name)]
        # Pinocchio has the cosine and the sine of a joint without limits.
        q[joint.idx_q : joint.idx_q + joint.nq] = [numpy.cos(value), numpy.sin(value)] if joint.nq == 2 else [value]
    pinocchio.framesForwardKinematics(model, data, q)
    for name, (x, y, z, *turn) in zip(head["links"], record["poses"]):
        placed = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)]
        rotation = pinocchio.Quaternion(numpy.array(turn)).toRotationMatrix()
        worst = max(worst, abs(placed.translation - [x, y, z]).max(), abs(placed.rotation - rotation).max())
        count += 1
print(f"{sys.argv[1]}: {count} poses, largest difference {worst:.1e}")
sys.exit(not worst <= 1e-12)
