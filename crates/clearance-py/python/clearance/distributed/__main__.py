"""The program ``clearance-distributed``."""

from __future__ import annotations

import argparse
import sys

from clearance.distributed._job import clashes


def main(arguments: list[str] | None = None) -> int:
    """Runs a job. Exit codes: 0 nothing overlaps, 1 something does, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="clearance-distributed",
        description="Finds all pairs of parts of a table that overlap or are within a margin, on a Dask cluster.",
        epilog="A job that was stopped goes on when it is started again. Exit codes: 0 no overlap, 1 overlaps, 2 bad input.",
    )
    parser.add_argument("parts", help="a .parquet or .csv file of parts, or a folder of meshes")
    parser.add_argument("-o", "--output", required=True, help="the result: a .parquet or .csv file")
    parser.add_argument("--margin", type=float, default=0.0, help="also pairs that are at most this far apart (default: 0)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="the scheduler of a cluster (default: a local cluster)")
    parser.add_argument("--workers", type=int, help="workers of the local cluster; 0 runs without Dask (default: all cores)")
    parser.add_argument("--work", metavar="FOLDER", help="the folder of the job's files, which all workers see (default: beside the output)")
    parser.add_argument("--cell-parts", type=int, default=10_000, help="parts in a cell, about (default: 10000)")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the job's files")
    options = parser.parse_args(arguments)
    try:
        summary = clashes(
            options.parts, options.output, margin=options.margin, scheduler=options.scheduler, workers=options.workers,
            work=options.work, cell_parts=options.cell_parts, keep=options.keep, progress=True,
        )
    except (OSError, ValueError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    print(f"{summary.parts} parts in {summary.cells} cells, {summary.candidates} pairs of boxes, {summary.pairs} pairs found, {summary.overlaps} overlaps")
    return 1 if summary.overlaps else 0


if __name__ == "__main__":
    sys.exit(main())
