"""One run of one contestant: ``python -m stress.bench.workloads.run JOB CONTESTANT FOLDER``.

Prints the seconds it took and its result. The process is fresh, and
what libraries import on their own is paid for before the clock starts. So is a cluster of Ray,
which outlives jobs; pools of processes and threads are started within the time.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from stress.bench.workloads.cores import CORES

__all__ = ["main"]

_IMPORTS = {
    "ours": ("actors_rs", "actors_rs.runtime.processes.pool"),
    "joblib": ("joblib",),
    "dask": ("dask.bag",),
    "polars": ("polars",),
    "ray": ("ray.data",),
    "executor": ("concurrent.futures.process",),
    "pool": ("multiprocessing.pool",),
}


def main(job: str, contestant: str, folder: Path) -> None:
    module = importlib.import_module(f"stress.bench.workloads.{job}")
    for name in _IMPORTS.get(contestant, ()):
        importlib.import_module(name)
    if contestant == "ray":
        _start_ray()
    (folder / "out").mkdir(exist_ok=True)
    began = perf_counter()
    result = getattr(module, contestant)(folder)
    seconds = perf_counter() - began
    if result is None:
        result = module.written(folder)
    print(json.dumps({"seconds": seconds, "result": _comparable(result)}), flush=True)


def _comparable(result: Any) -> Any:
    return sorted(result.items()) if isinstance(result, dict) else result


def _start_ray() -> None:
    import ray
    from ray.data import DataContext

    ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    logging.disable(logging.WARNING)
    DataContext.get_current().enable_progress_bars = False


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
