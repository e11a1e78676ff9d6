"""Measures of probabilities, the same for every method.

Probabilities are an array [rows, classes]; labels are places of classes. Classes are those of the whole table: one that is
not among the training rows has probability 0 until it is clipped.
"""

import numpy as np

BINS = 15
# Log-loss is reported with the first; the second shows what certainty costs that is wrong.
CLIP, CLIP_SMALL = 1e-3, 1e-6


def clipped(p, least):
    """No probability below `least`, and rows that sum to 1 again."""
    p = np.maximum(p, least)
    return p / p.sum(1, keepdims=True)


def log_loss(p, y, least=CLIP):
    """The mean of -ln of the true class's probability."""
    return float(-np.log(clipped(p, least)[np.arange(len(y)), y]).mean())


def brier(p, y):
    """The mean over rows of the squared differences, summed over classes: from 0 to 2."""
    return float(((p - np.eye(p.shape[1])[y]) ** 2).sum(1).mean())


def histogram(p, y):
    """For each of the bins of the top probability: rows, sum of the top probabilities, number right."""
    top, right = p.max(1), p.argmax(1) == y
    place = np.minimum((top * BINS).astype(int), BINS - 1)
    return [[int((place == b).sum()), float(top[place == b].sum()), int(right[place == b].sum())] for b in range(BINS)]


def expected_calibration_error(bins):
    """From histograms summed over splits: the mean over rows of |confidence - accuracy| of the row's bin."""
    count, confidence, right = np.asarray(bins, float).T
    return float(np.abs(confidence - right).sum() / count.sum())


def measure(p, y):
    p = np.asarray(p, float)
    bins = histogram(p, y)
    return dict(rows=len(y), accuracy=float((p.argmax(1) == y).mean()), log_loss=log_loss(p, y),
                log_loss_small=log_loss(p, y, CLIP_SMALL), brier=brier(p, y), top=float(p.max(1).mean()), bins=bins)
