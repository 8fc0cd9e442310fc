"""Convex decomposition of real meshes: Clearance, checked by samples, and CoACD beside it.

    python bench/decompose.py FOLDER... [--program clearance] [--limit 100] [--check 2000] [--coacd 12] [--timeout 60] [--markdown FILE]

Each FOLDER is searched for meshes (.obj, .stl, .ply, .off, .dae); of robots, `pip download example-robot-data --no-deps` has many (the wheel is a
zip). `--limit` takes that many files of each folder, spread over all of them.

Columns: pieces by kind (exact, outer = proved to cover, approximate = covers the surface), and inner ones; the proved bound on how far
a piece reaches beyond the mesh, as a part of the longest side; CPU seconds, reading included. The last lines have counts and medians.

`--check N` reads mesh and pieces again with trimesh and libigl (`pip install trimesh pycollada pillow libigl`), which share no code with Clearance. N points
of the surface, and of solids N points inside, must be in a piece; N points of outer pieces must be as near to the solid as their bound says; N points of
inner pieces must be inside. `--coacd N` gives N files, spread over all, also to CoACD (`pip install coacd`), with its default threshold, 0.05 of half the longest
side. Clearance stops at the same length, 0.025 of the longest side. Both are compared by the farthest of the same number of points of their pieces.
`--markdown` replaces the section between the anchors `decomposition` of a file by the counts.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ENDINGS = {".obj", ".stl", ".ply", ".off", ".dae"}
START, END = "<!-- ANCHOR: decomposition -->", "<!-- ANCHOR_END: decomposition -->"

COACD = """
import sys, time, json, coacd, trimesh
coacd.set_log_level("error")
mesh = trimesh.load(sys.argv[1], force="mesh")
start = time.process_time()
parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.faces))
seconds = time.process_time() - start
trimesh.util.concatenate([trimesh.Trimesh(*part) for part in parts]).export(sys.argv[2])
print(json.dumps([len(parts), seconds]))
"""


def cpu():
    """Seconds of all processes that have ended: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, timeout):
    """Output of a command and its CPU seconds, of which it gets `timeout`; a sentence instead of the output if it failed."""
    start, most = cpu(), int(timeout)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    seconds = cpu() - start
    if done.returncode < 0 and seconds > 0.9 * most:
        return None, f"over {most} s", seconds
    lines = (done.stderr or "").strip().splitlines() or [f"exit code {done.returncode}"]
    return (done.stdout, None, seconds) if done.returncode == 0 else (None, lines[-1], seconds)


class Check:
    """A mesh as other programs read it, and samples of it."""

    def __init__(self, path, count):
        import igl
        import numpy
        import trimesh

        self.igl, self.np, self.trimesh, self.count = igl, numpy, trimesh, count
        mesh = trimesh.load(str(path), force="mesh", process=False)
        self.mesh = mesh
        self.vertices, self.faces = numpy.array(mesh.vertices, float), numpy.array(mesh.faces)
        self.size = numpy.ptp(self.vertices[self.faces].reshape(-1, 3), axis=0).max()
        self.closed = self.faces_of_solids()
        self.draw = numpy.random.default_rng(7)
        # pycollada rounds to single precision.
        self.slack = (1e-6 if path.suffix.lower() == ".dae" else 1e-9) * max(1.0, abs(self.vertices).max() / self.size)

    def faces_of_solids(self):
        """The faces of the components whose edges all have a face on both sides; vertices at one place are one."""
        np = self.np
        one = np.unique(self.vertices, axis=0, return_inverse=True)[1].reshape(-1)
        faces = one[self.faces].astype(np.int64)
        of_face = self.igl.facet_components(faces)
        of_face = of_face[-1] if isinstance(of_face, tuple) else of_face
        edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        key = edges.min(axis=1) * (len(self.vertices) + 1) + edges.max(axis=1)
        _, of_edge = np.unique(key, return_inverse=True)
        turns = np.bincount(of_edge, np.where(edges[:, 0] < edges[:, 1], 1, -1))
        is_open = np.tile(of_face, 3)[turns[of_edge] != 0]
        return self.faces[~np.isin(of_face, is_open)].astype(np.int64)

    def pieces(self, path):
        """Vertices and outward planes of the objects of an OBJ file, by kind and number of the piece."""
        np, found, vertices = self.np, [], []
        for line in path.read_text().splitlines():
            word, *rest = line.split()
            if word == "o":
                found.append((rest[-1], [], []))
            elif word == "v":
                vertices.append([float(x) for x in rest])
                found[-1][1].append(vertices[-1])
            elif word == "f":
                found[-1][2].append([vertices[int(x) - 1] for x in rest])
        made = []
        for kind, points, faces in found:
            points, corners = np.array(points), np.array(faces).reshape(-1, 3, 3)
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            length = np.linalg.norm(normals, axis=1)
            keep = length > 1e-12 * self.size**2
            normals = normals[keep] / length[keep, None]
            made.append((kind, points, normals, (points @ normals.T).max(axis=0)))
        return made

    def uncovered(self, points, pieces):
        """How far the worst point is outside of all pieces, as a part of the size."""
        np = self.np
        best = np.full(len(points), np.inf)
        for _, _, normals, offsets in pieces:
            best = np.minimum(best, (points @ normals.T - offsets).max(axis=1))
        return float(best.max(initial=0.0)) / self.size

    def surface(self):
        np = self.np
        corners = self.vertices[self.faces]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        chosen = corners[self.draw.choice(len(corners), self.count, p=areas / areas.sum())]
        used = self.vertices[np.unique(self.faces)]
        weights = self.draw.dirichlet(np.ones(3), self.count)
        return np.vstack([np.einsum("nk,nkd->nd", weights, chosen), self.draw.permutation(used)[: self.count]])

    def inside(self):
        box = self.vertices[self.np.unique(self.faces)]
        points = self.draw.uniform(box.min(axis=0), box.max(axis=0), (self.count, 3))
        return points[abs(self.winding(points)) > 0.5]

    def of_pieces(self, pieces):
        """Points of pieces: their vertices and points between these."""
        np, each = self.np, max(20, self.count // max(1, len(pieces)))
        drawn = [self.draw.dirichlet(np.full(len(points), 3 / len(points)), each) @ points for _, points, *_ in pieces]
        return drawn

    def winding(self, points):
        """How often the solids enclose each point."""
        return self.igl.winding_number(self.vertices, self.closed, self.np.ascontiguousarray(points))

    def beyond(self, points):
        """Distances from the solids."""
        np = self.np
        distances = np.sqrt(self.igl.point_mesh_squared_distance(np.ascontiguousarray(points), self.vertices, self.closed)[0])
        return np.where(abs(self.winding(points)) > 0.5, 0.0, distances)


def check(path, out, inner, bounds, is_solid, count):
    """Faults that samples find, and the farthest sample beyond the mesh as a part of its size."""
    of, faults = Check(path, count), []
    pieces = of.pieces(out)
    lost = of.uncovered(of.surface(), pieces)
    if lost > of.slack:
        faults.append(f"the surface is uncovered by {lost:.1e}")
    if not len(of.closed):
        return faults, float("nan")
    if is_solid:
        inside = of.inside()
        lost = of.uncovered(inside, pieces) if len(inside) else 0.0
        if lost > of.slack:
            faults.append(f"the inside is uncovered by {lost:.1e}")
    farthest = 0.0
    # The inside of an open component is an estimate, which no sample can check.
    for points, bound, (kind, *_) in zip(of.of_pieces(pieces), bounds, pieces):
        if kind == "approximate":
            continue
        beyond = float(of.beyond(points).max())
        farthest = max(farthest, beyond / of.size)
        if beyond > bound + of.slack * of.size:
            faults.append(f"a piece reaches {beyond / of.size:.1e} beyond the mesh, and its bound is {bound / of.size:.1e}")
    if inner is not None:
        beyond = max((float(of.beyond(points).max()) for points in of.of_pieces(of.pieces(inner))), default=0.0)
        if beyond > of.slack * of.size:
            faults.append(f"an inner piece is outside by {beyond / of.size:.1e}")
    return faults, farthest


def beside(path, out, timeout, count):
    """Pieces and CPU seconds of CoACD, and the farthest sample of its pieces; or a sentence."""
    answer, error, _ = run([sys.executable, "-c", COACD, str(path), str(out)], timeout)
    if error:
        return error
    pieces, seconds = json.loads(answer.strip().splitlines()[-1])
    of = Check(path, count)
    if not len(of.closed):
        return pieces, seconds, float("nan")
    hulls = of.trimesh.load(str(out), process=False).split(only_watertight=False)
    points = of.of_pieces([("", of.np.array(hull.vertices)) for hull in hulls])
    return pieces, seconds, max(float(of.beyond(some).max()) for some in points) / of.size


def spread(files, count):
    return [files[i * len(files) // count] for i in range(count)] if count < len(files) else files


def kind_of(counts, bodies):
    """The proved properties of a file."""
    if set(counts) == {"exact"}:
        return "exact"
    if all(body["covers"] == "proved" for body in bodies):
        return "proved to cover"
    return "approximate" if set(counts) == {"approximate"} else "proved to cover, open parts approximate"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", default="clearance")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--check", type=int, default=0)
    parser.add_argument("--coacd", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--markdown", type=pathlib.Path)
    args = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp())

    files = []
    for folder in args.folders:
        files += spread(sorted(f for f in folder.rglob("*") if f.suffix.lower() in ENDINGS), args.limit)
    also = set(spread(files, args.coacd)) if args.coacd else set()
    print(f"{'file':38} {'pieces':>24} {'inner':>5} {'reach':>7} {'s':>7}   {'CoACD':>5} {'s':>7} {'far':>6} {'ours':>6}")
    times, ratios, kinds, failed, reaches, counted, faulty = [], [], {}, {}, [], [], 0
    for path in files:
        name = "/".join(path.parts[-3:])[-38:]
        pieces_file, inner_file = scratch / "pieces.obj", scratch / "inner.obj"
        out, error, seconds = run([args.program, "decompose", "--json", str(path), "-o", str(pieces_file)], args.timeout)
        if error:
            failed[error.split(": ")[-1]] = failed.get(error.split(": ")[-1], 0) + 1
            print(f"{name:38} {error}", flush=True)
            continue
        bodies = [json.loads(line) for line in out.splitlines()]
        pieces = [piece for body in bodies for piece in body["pieces"]]
        counts = {}
        for piece in pieces:
            counts[piece["kind"]] = counts.get(piece["kind"], 0) + 1
        kind = kind_of(counts, bodies)
        kinds[kind] = kinds.get(kind, 0) + 1
        inner = sum(body["inner"] for body in bodies)
        reach = max(body["concavity"] / body["size"] if body["size"] else 0.0 for body in bodies)
        reaches.append(reach)
        times.append(seconds)
        counted.append(len(pieces))
        words = ", ".join(f"{count} {of}" for of, count in sorted(counts.items()))
        line = f"{name:38} {words:>24} {inner:5} {100 * reach:6.2f}% {seconds:7.2f}"
        farthest = None
        if args.check:
            has_inner = inner > 0 and run([args.program, "decompose", "--inner", str(path), "-o", str(inner_file)], args.timeout)[1] is None
            bounds = [piece.get("concavity", 0.0) for piece in pieces]
            is_solid = kind in ("exact", "proved to cover")
            faults, farthest = check(path, pieces_file, inner_file if has_inner else None, bounds, is_solid, args.check)
            faulty += bool(faults)
        if path in also:
            found = beside(path, scratch / "coacd.ply", args.timeout * 10, args.check or 2000)
            if isinstance(found, str):
                line += f"   {found[:40]}"
            else:
                count, spent, far = found
                ratios.append((seconds / spent, len(pieces) / count))
                line += f"   {count:5} {spent:7.2f} {100 * far:5.2f}%" + (f" {100 * farthest:5.2f}%" if farthest is not None else "")
        print(line, flush=True)
        for fault in faults[:3] if args.check else []:
            print(f"    FAULT: {fault}", flush=True)

    lines = [f"{len(files)} files: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + f"; {sum(failed.values())} without an answer"]
    lines += [f"without an answer, {count}: {sentence}" for sentence, count in failed.items()]
    if times:
        lines.append(f"CPU seconds: median {statistics.median(times):.2f}, most {max(times):.2f}; pieces: median {statistics.median(counted):.0f}, most {max(counted)}; "
                     f"proved reach beyond the mesh: median {100 * statistics.median(reaches):.2f} %, most {100 * max(reaches):.2f} %")
    if args.check:
        lines.append(f"files in which samples find a fault: {faulty}")
    if ratios:
        lines.append(f"beside CoACD ({len(ratios)} files): CPU time x{statistics.median(r[0] for r in ratios):.3f}, "
                     f"pieces x{statistics.median(r[1] for r in ratios):.2f} (medians)")
    print("\n".join(lines))
    if args.markdown:
        text = args.markdown.read_text()
        head, tail = text.split(START)[0], text.split(END)[1]
        words = "Convex decomposition"
        intro = f"\n\n## {words}\n\nPrinted by `bench/decompose.py` (its head has the command).\n\n```text\n"
        args.markdown.write_text(head + START + intro + "\n".join(lines) + "\n```\n\n" + END + tail)


if __name__ == "__main__":
    main()
