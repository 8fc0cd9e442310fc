"""Clash detection for more parts than one process can hold: a table of parts, cut by space, on Dask.

>>> from clearance.distributed import clashes
>>> # doctest: +SKIP
>>> clashes("parts.parquet", "clashes.parquet", margin=0.01)        # a local cluster
>>> clashes("parts.parquet", "clashes.parquet", scheduler="tcp://10.0.0.1:8786")

A job has four stages, each of which writes files into a work folder, so that a job that was stopped goes on where it was:

1. *read*: the table, in chunks; numbers only, a file name is kept once.
2. *boxes*: the bounding box of every part, a task for each chunk. A mesh is loaded by the worker that needs it.
3. *assign*: a k-d tree over a sample of the boxes cuts space into cells. A part is copied into every cell that its box meets; parts that meet very many
   cells go to all of them.
4. *join*: a task for each cell finds the pairs whose boxes meet, and queries their distance. A pair is reported by the one cell that has the reference
   point, the minimum corner of the intersection of its two boxes. Cells are half-open, and corners are compared and never computed, so that this is exact.

The rows of the result do not depend on the number of workers, chunks and cells: each pair is queried alone, in the order of the table.
"""

from clearance.distributed._configurations import configurations
from clearance.distributed._job import Summary, clashes

__all__ = ["Summary", "clashes", "configurations"]
