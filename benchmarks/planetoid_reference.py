"""What readers_benchmark compares with: PubMed by Python's pickle and scipy.

Prints the best of several processor times in seconds, for loading the seven pickles and for that plus what a
program then needs: features in the order of the nodes, the symmetric adjacency matrix, and labels.
"""
import pickle
import sys
import time

import numpy
import scipy.sparse


def load(folder, name):
    parts = []
    for part in ("x", "y", "tx", "ty", "allx", "ally", "graph"):
        with open(f"{folder}/ind.{name}.{part}", "rb") as file:
            parts.append(pickle.load(file, encoding="latin1"))
    return parts


def assemble(folder, name, parts):
    _, _, tx, ty, allx, ally, graph = parts
    with open(f"{folder}/ind.{name}.test.index") as file:
        index = numpy.array([int(line) for line in file])
    order = numpy.argsort(index)
    features = scipy.sparse.vstack((allx, tx[order])).tocsr()
    labels = numpy.vstack((ally, ty[order])).argmax(axis=1)
    sizes = [len(neighbours) for neighbours in graph.values()]
    rows = numpy.repeat(numpy.fromiter(graph.keys(), dtype=numpy.int32), sizes)
    columns = numpy.concatenate([numpy.array(n, dtype=numpy.int32) for n in graph.values()])
    ones = numpy.ones(len(rows), dtype=numpy.float32)
    n = len(labels)
    adjacency = scipy.sparse.csr_matrix((ones, (rows, columns)), shape=(n, n))
    return features, labels, adjacency.maximum(adjacency.T)


def best(work):
    times = []
    for _ in range(10):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


folder = sys.argv[1]
print(best(lambda: load(folder, "pubmed")))
print(best(lambda: assemble(folder, "pubmed", load(folder, "pubmed"))))
