"""The commands of the program: the same findings, and evidence that holds."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from shapes import kinds, random_poses

from clearance import Pose, Shape, check, evidence, verify

SCENE = {
    "format": "clearance-scene/1",
    "bodies": [
        {"name": "ball", "shape": {"sphere": {"radius": 1}}, "motion": {"linear": {"velocity": [1, 0, 0]}}},
        {"name": "wall", "shape": {"cuboid": {"half_extents": [0.1, 5, 5]}}, "pose": {"translation": [4, 0, 0]}},
        {"name": "near", "shape": {"sphere": {"radius": 1}}, "pose": {"translation": [0, 2.05, 0]}},
        {"name": "deep", "shape": {"cuboid": {"half_extents": [1, 1, 1]}}, "pose": {"translation": [4, 0, 0]}},
    ],
}


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "clearance", *arguments], capture_output=True, text=True, timeout=120)


def test_a_check_has_the_findings_of_the_program(tmp_path):
    path = tmp_path / "cell.json"
    path.write_text(json.dumps(SCENE))
    for options, words in (({}, []), ({"margin": 0.1}, ["--margin", "0.1"]), ({"until": 5.0}, ["--until", "5"])):
        printed = program("check", str(path), "--json", *words)
        assert check(path, **options) == check(SCENE, **options) == json.loads(printed.stdout)
        assert printed.returncode == 1
    found = check(path, margin=0.1)
    assert (found["overlaps"], found["within"]) == (1, 1)
    assert check([path], limit=1)["pairs"] == found["pairs"][:1]


def test_the_evidence_of_a_check_is_demanded_for_every_pair(tmp_path):
    path, lines = tmp_path / "cell.json", tmp_path / "evidence.jsonl"
    path.write_text(json.dumps(SCENE))
    check(path, margin=0.1, proof=lines)
    summary = verify(lines, scene=path, margin=0.1)
    assert summary["pairs"]["pairs"] == 6 and summary["refuted"] == [] and summary["bad"] == []
    # Evidence of another scene is not evidence of this one.
    SCENE_TWO = json.loads(json.dumps(SCENE).replace("2.05", "2.06"))
    path.write_text(json.dumps(SCENE_TWO))
    assert verify(lines, scene=path, margin=0.1)["bad"] != []


@pytest.mark.parametrize("name", [name for name in kinds() if name != "grown"])
def test_the_checker_accepts_the_evidence_of_every_kind(name):
    shape, other = kinds()[name], kinds()["hull"]
    lines = []
    for row in random_poses(4, seed=9):
        pose = Pose(row[:3], quaternion_xyzw=row[3:])
        lines += [evidence(shape, other, pose), evidence(shape, other, pose, query="intersects")]
        lines.append(evidence(shape, other, pose, query="within", margin=0.5))
    summary = verify(lines)
    assert summary["answers"] == 12 and summary["refuted"] == [] and summary["bad"] == []
    assert summary["proved"] >= 9


def test_evidence_that_is_forged_is_refuted():
    ball = Shape.sphere(radius=1.0)
    line = json.loads(evidence(ball, ball, Pose([3.0, 0.0, 0.0])))
    line["lower"] = line["distance"] = 1.5
    line["upper"] = 1.5
    summary = verify(json.dumps(line))
    assert summary["proved"] == 0 and len(summary["refuted"]) + len(summary["bad"]) == 1


def test_the_program_is_part_of_the_package(tmp_path):
    assert program("--version").stdout.startswith("clearance ")
    assert program("check", "nowhere.json").returncode == 2
    assert "Usage" in program("check", "--help").stdout
