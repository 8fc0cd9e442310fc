"""Answers of batches about robots: arrays of the leading shape of the configurations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class RobotClearances(NamedTuple):
    """Full answers of ``Robot.clearance_batch``."""

    distance: Floats
    lower: Floats
    upper: Floats
    #: The numbers of the two closest parts: see ``Robot.name_of``. Where no pair is checked both are 0, and the distance is infinite.
    links: Ints
    point_a: Floats
    point_b: Floats
    normal: Floats
    #: The derivatives of the distance by the joints. These are not proved.
    gradient: Floats


class RobotEdges(NamedTuple):
    """Answers of ``Robot.edge_batch``."""

    #: Is the edge proved free?
    free: Bools
    #: No checked pair comes closer than this on a free edge; zero on others.
    lower: Floats
    #: The closest pair of a free edge comes at least this close.
    upper: Floats
    #: All pairs are proved apart before this fraction of the edge: 1 on a free edge.
    free_until: Floats
    #: A contact is proved at this fraction; infinite where none is.
    contact_at: Floats


def clearances(rows: Floats) -> RobotClearances:
    """Full answers from rows of numbers."""
    return RobotClearances(
        rows[..., 0],
        rows[..., 1],
        rows[..., 2],
        np.nan_to_num(rows[..., 3:5]).astype(np.int64),
        rows[..., 5:8],
        rows[..., 8:11],
        rows[..., 11:14],
        rows[..., 14:],
    )


def edges(rows: Floats) -> RobotEdges:
    """Answers about edges from rows of numbers."""
    return RobotEdges(rows[..., 0] != 0.0, rows[..., 1], rows[..., 2], rows[..., 3], rows[..., 4])


def truths(rows: Floats) -> Bools:
    """Yes and no from rows of one number."""
    found: Bools = rows[..., 0] != 0.0
    return found
