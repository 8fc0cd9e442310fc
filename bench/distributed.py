"""Times clearance.distributed on random turned boxes: python bench/distributed.py PARTS WORKERS [FOLDER] (0 workers: in this process)."""

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

from clearance.distributed import clashes

#: Parts that are generated at once.
CHUNK = 1_000_000


def write(path: Path, parts: int) -> None:
    """A box for each unit of volume, sides from 0.2 to 1, turned at random."""
    random = np.random.default_rng(1)
    side, writer = parts ** (1 / 3), None
    for start in range(0, parts, CHUNK):
        count = min(CHUNK, parts - start)
        turn, at, size = random.normal(size=(count, 4)), random.uniform(0, side, (count, 3)), random.uniform(0.2, 1.0, (count, 3))
        columns = {"id": [f"part {start + i}" for i in range(count)]}
        for names, values in ((("x", "y", "z"), at), (("qx", "qy", "qz", "qw"), turn), (("size_x", "size_y", "size_z"), size)):
            columns.update({name: values[:, index] for index, name in enumerate(names)})
        table = pyarrow.table(columns)
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


if __name__ == "__main__":
    parts, workers = int(sys.argv[1]), int(sys.argv[2])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    table = folder / f"parts-{parts}.parquet"
    if not table.exists():
        write(table, parts)
    start = time.perf_counter()
    summary = clashes(table, folder / f"clashes-{parts}-{workers}.parquet", workers=workers, progress=True)
    megabytes = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024
    print(f"{summary}: {time.perf_counter() - start:.1f} s, largest process {megabytes} MB; results are in {folder}")
