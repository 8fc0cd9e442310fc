"""Space cut into cells, and pairs of boxes that meet, each in one cell only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Candidates that a sweep compares at once. Limit: some hundred megabytes.
BLOCK = 2_000_000


class Cells:
    """A k-d tree: half-open boxes that fill space. The outer ones reach to infinity."""

    def __init__(self, planes: list[tuple[int, float, int, int]], count: int) -> None:
        #: Axis, coordinate, and the nodes below and above; a leaf is minus its cell, minus one.
        self.planes = planes
        self.count = count

    @staticmethod
    def of_sample(lower: Floats, upper: Floats, count: int) -> Cells:
        """About ``count`` cells with as many of the sampled boxes each. The plane of a cut is a median of middles along the widest axis."""
        middle = 0.5 * lower + 0.5 * upper
        planes: list[tuple[int, float, int, int]] = []
        leaves = 0

        def cut(rows: Ints, wanted: int) -> int:
            nonlocal leaves
            if wanted > 1 and rows.size > 1:
                points = middle[rows]
                extent = points.max(axis=0) - points.min(axis=0)
                axis = int(np.argmax(extent))
                at = float(np.median(points[:, axis]))
                below = points[:, axis] < at
                if 0 < np.count_nonzero(below) < rows.size:
                    node = len(planes)
                    planes.append((axis, at, 0, 0))
                    half = wanted // 2
                    first = cut(rows[below], half)
                    second = cut(rows[~below], wanted - half)
                    planes[node] = (axis, at, first, second)
                    return node
            leaves += 1
            return -leaves

        cut(np.arange(middle.shape[0], dtype=np.int64), max(count, 1))
        return Cells(planes, leaves)

    def of_points(self, points: Floats) -> Ints:
        """The cell of each point."""
        found = np.zeros(points.shape[0], dtype=np.int64)
        stack = [(0 if self.planes else -1, np.arange(points.shape[0], dtype=np.int64))]
        while stack:
            node, rows = stack.pop()
            if node < 0:
                found[rows] = -node - 1
                continue
            axis, at, first, second = self.planes[node]
            below = points[rows, axis] < at
            stack += [(first, rows[below]), (second, rows[~below])]
        return found

    def of_boxes(self, lower: Floats, upper: Floats) -> tuple[Ints, Ints]:
        """Every box with every cell that it meets: numbers of boxes, and of their cells."""
        boxes, cells = [], []
        stack = [(0 if self.planes else -1, np.arange(lower.shape[0], dtype=np.int64))]
        while stack:
            node, rows = stack.pop()
            if node < 0:
                boxes.append(rows)
                cells.append(np.full(rows.size, -node - 1, dtype=np.int64))
                continue
            axis, at, first, second = self.planes[node]
            stack += [(first, rows[lower[rows, axis] < at]), (second, rows[upper[rows, axis] >= at])]
        return np.concatenate(boxes), np.concatenate(cells)


def meeting(lower: Floats, upper: Floats) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of boxes that meet, in blocks: a sweep along the axis on which fewest boxes overlap. Touching boxes meet."""
    count = lower.shape[0]
    if count < 2:
        return

    def swept(axis: int) -> tuple[Ints, Ints]:
        order = np.argsort(lower[:, axis], kind="stable")
        ends = np.searchsorted(lower[order, axis], upper[order, axis], side="right")
        return order, ends - np.arange(count) - 1

    order, sizes = min((swept(axis) for axis in range(3)), key=lambda sweep: int(sweep[1].sum()))
    low, high = lower[order], upper[order]
    total = np.cumsum(sizes)
    first = 0
    while first < count:
        done = int(total[first - 1]) if first else 0
        # At least one box, however many it may meet.
        last = max(int(np.searchsorted(total, done + BLOCK, side="right")), first + 1)
        repeated = np.repeat(np.arange(first, last), sizes[first:last])
        starts = np.cumsum(sizes[first:last]) - sizes[first:last]
        other = repeated + 1 + np.arange(repeated.size) - np.repeat(starts, sizes[first:last])
        meets = np.ones(repeated.size, dtype=bool)
        for axis in range(3):
            meets &= (low[repeated, axis] <= high[other, axis]) & (low[other, axis] <= high[repeated, axis])
        yield order[repeated[meets]], order[other[meets]]
        first = last
