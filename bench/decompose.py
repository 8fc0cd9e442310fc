"""Convex decomposition of real meshes: Clearance, and CoACD beside it.

    python bench/decompose.py FOLDER... [--program clearance] [--limit 100] [--coacd 20] [--timeout 120]

FOLDER is searched for meshes (.obj, .stl, .ply, .off, .dae); of robots, `pip download example-robot-data --no-deps` has many (the wheel is a
zip). `--limit` takes that many files, spread over all of them. The first `--coacd` of these are also given to CoACD (`pip install coacd trimesh`), with its
default threshold, 0.05 of half the longest side. Clearance stops at the same length, 0.025 of the longest side.

Columns: pieces by kind (exact, outer = proved to cover, approximate = covers the surface), and inner ones; the proved bound on how far
a piece reaches beyond the mesh, as a part of the longest side; CPU seconds, reading included. Then pieces and CPU seconds of CoACD, and the volume of all pieces
of Clearance divided by that of CoACD. The last lines have counts and medians.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys

ENDINGS = {".obj", ".stl", ".ply", ".off", ".dae"}

COACD = """
import sys, time, json, coacd, trimesh
coacd.set_log_level("error")
mesh = trimesh.load(sys.argv[1], force="mesh")
start = time.process_time()
parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.faces))
seconds = time.process_time() - start
volume = sum(trimesh.Trimesh(v, f).volume for v, f in parts)
print(json.dumps([len(parts), seconds, volume]))
"""


def cpu():
    """Seconds of all processes that have ended: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, timeout):
    """Output of a command and its CPU seconds; a sentence instead of the output if it failed."""
    start = cpu()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, f"over {timeout} s", cpu() - start
    seconds = cpu() - start
    lines = (done.stderr or "").strip().splitlines() or [f"exit code {done.returncode}"]
    return (done.stdout, None, seconds) if done.returncode == 0 else (None, lines[-1], seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", default="clearance")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--coacd", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120)
    args = parser.parse_args()

    files = sorted({f for d in args.folders for f in d.rglob("*") if f.suffix.lower() in ENDINGS})
    step = max(1, len(files) / args.limit)
    files = [files[int(i * step)] for i in range(min(args.limit, len(files)))]
    print(f"{'file':38} {'pieces':>24} {'inner':>5} {'reach':>7} {'s':>7}   {'CoACD':>5} {'s':>7} {'volume':>6}")
    times, ratios, kinds, failed, reaches = [], [], {}, 0, []
    for number, path in enumerate(files):
        out, error, seconds = run([args.program, "decompose", "--json", str(path)], args.timeout)
        name = "/".join(path.parts[-2:])[-38:]
        if error:
            failed += 1
            print(f"{name:38} {error}", flush=True)
            continue
        bodies = [json.loads(line) for line in out.splitlines()]
        counts = {}
        for piece in (piece for body in bodies for piece in body["pieces"]):
            counts[piece["kind"]] = counts.get(piece["kind"], 0) + 1
        for kind in counts:
            kinds[kind] = kinds.get(kind, 0) + 1
        reach = max(body["concavity"] / body["size"] if body["size"] else 0.0 for body in bodies)
        reaches.append(reach)
        times.append(seconds)
        pieces = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        line = f"{name:38} {pieces:>24} {sum(b['inner'] for b in bodies):5} {100 * reach:6.2f}% {seconds:7.2f}"
        if number < args.coacd:
            out, error, _ = run([sys.executable, "-c", COACD, str(path)], args.timeout)
            if error:
                line += f"   {error[:40]}"
            else:
                count, spent, volume = json.loads(out.strip().splitlines()[-1])
                own = sum(piece["volume"] or 0 for body in bodies for piece in body["pieces"])
                ratios.append((seconds / spent, sum(counts.values()) / count))
                line += f"   {count:5} {spent:7.2f} {own / volume if volume else float('nan'):6.2f}"
        print(line, flush=True)
    print(f"{len(files)} files: {len(times)} with pieces, {failed} without an answer; kinds: {kinds}")
    if times:
        print(f"seconds: median {statistics.median(times):.2f}, most {max(times):.2f}; "
              f"reach: median {100 * statistics.median(reaches):.2f} %, most {100 * max(reaches):.2f} %")
    if ratios:
        print(f"beside CoACD ({len(ratios)} files): time x{statistics.median(r[0] for r in ratios):.3f}, "
              f"pieces x{statistics.median(r[1] for r in ratios):.2f} (medians)")


if __name__ == "__main__":
    main()
