"""The locking table on Ray: `python locking_on_ray.py OUT [LEARNERS]`.

Two local workers; on a cluster leave out what `ray.init` is given. With STRAT_KILL=FILE, the worker of the second shard is killed
in the middle of it, once: FILE notes that.
"""

from __future__ import annotations

import sys

import ray
from killed import killed_once

from strat import distributed

SHARDS = 4

if __name__ == "__main__":
    out, learners = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400
    ray.init(num_cpus=2, include_dashboard=False)
    work = killed_once(distributed.experiment("locking", SHARDS, seeds=learners, threads=1))
    print(distributed.on_ray(work, SHARDS, out))
