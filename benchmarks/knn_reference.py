#!/usr/bin/env python3
"""Times the k-nn search of graph_benchmark and scipy's cKDTree side by side, one thread each.

usage: knn_reference.py [path of graph_benchmark]

Both build the tree and ask for the ten nearest neighbours of each of 1,024 points, uniform in a cube;
scipy is asked for eleven, since it counts the point itself.
"""
import json
import subprocess
import sys
import time

import numpy
from scipy.spatial import cKDTree

program = sys.argv[1] if len(sys.argv) > 1 else "build/benchmarks/graph_benchmark"
clouds = [numpy.random.default_rng(seed).uniform(size=(1024, 3)) for seed in range(32)]


def ours():
    run = subprocess.run(
        [program, "--benchmark_filter=^nearest_neighbors$", "--benchmark_format=json"],
        check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["benchmarks"][0]["cpu_time"]


def scipys():
    start = time.process_time()
    for _ in range(10):
        for points in clouds:
            cKDTree(points).query(points, k=11, workers=1)
    return (time.process_time() - start) / (10 * len(clouds)) * 1e6


# In turns, and the best of each: what else the machine does then weighs on both alike.
best_ours, best_scipys = (min(times) for times in zip(*[(ours(), scipys()) for _ in range(5)]))
print(f"graph_benchmark {best_ours:.0f} us, cKDTree {best_scipys:.0f} us: "
      f"{best_scipys / best_ours:.2f} times as fast")
