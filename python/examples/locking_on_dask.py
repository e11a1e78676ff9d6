"""The locking table on Dask: `python locking_on_dask.py OUT [LEARNERS]`.

Two local workers; on a cluster give its address to `Client`. With STRAT_KILL=FILE, the worker of the second shard is killed in
the middle of it, once: FILE notes that.
"""

from __future__ import annotations

import sys

from distributed import Client, LocalCluster
from killed import killed_once

from strat import distributed as strat_distributed

SHARDS = 4

if __name__ == "__main__":
    out, learners = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400
    work = killed_once(strat_distributed.experiment("locking", SHARDS, seeds=learners, threads=1))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(strat_distributed.on_dask(client, work, SHARDS, out))
