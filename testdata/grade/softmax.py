"""A softmax of each row."""
import numpy as np


def run(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def inputs(trial):
    return [trial.values((5, trial.n))]
