"""Work that kills its own worker once, to see that another one does it."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from strat.distributed import Files, Shard


class KilledOnce:
    """The second shard is killed after half a second, if the file is not there yet."""

    def __init__(self, work: Shard, mark: str) -> None:
        self.work, self.mark = work, mark

    def __call__(self, index: int) -> Files:
        if index == 2 and not Path(self.mark).exists():
            Path(self.mark).write_text("killed\n")
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        return self.work(index)


def killed_once(work: Shard) -> Shard:
    """The work as it is, unless STRAT_KILL names a file."""
    mark = os.environ.get("STRAT_KILL")
    return work if mark is None else KilledOnce(work, mark)
