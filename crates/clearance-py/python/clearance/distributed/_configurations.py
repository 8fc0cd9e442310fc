"""Random configurations of a robot that need no storage: any range of them can be made anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def configurations(robot: Any, n: int, seed: int, *, start: int = 0) -> Floats:
    """``n`` random configurations of a robot from number ``start`` of a sequence, as an array (n, joints): uniform between the limits of each joint.

    Number k is the same whichever range it is asked for in, so that workers divide a batch by ranges. ``robot`` has ``lower_limits`` and ``upper_limits``,
    or is a pair of them. A joint without limits is drawn from one turn.

    >>> from clearance.distributed import configurations
    >>> limits = ([-1.0, 0.0], [1.0, 2.0])
    >>> whole = configurations(limits, 5, seed=1)
    >>> bool((configurations(limits, 2, seed=1, start=3) == whole[3:]).all())
    True
    """
    lower, upper = robot if isinstance(robot, tuple) else (robot.lower_limits, robot.upper_limits)
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    if low.ndim != 1 or low.shape != high.shape:
        raise ValueError(f"the limits have shapes {low.shape} and {high.shape}, but must be two lists of the same length")
    if n < 0 or start < 0:
        raise ValueError(f"n is {n} and start is {start}, but neither can be negative")
    is_bounded = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(is_bounded, low, -np.pi), np.where(is_bounded, high, np.pi)
    joints = low.size
    # A counter makes four numbers; a number of 64 bits makes one double.
    first, skip = divmod(start * joints, 4)
    bits = np.random.Philox(key=seed)
    bits.advance(first)
    raw = bits.random_raw(skip + n * joints)[skip:] if n * joints else np.empty(0, dtype=np.uint64)
    unit = (np.asarray(raw, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    made: Floats = low + unit.reshape(n, joints) * (high - low)
    return made
