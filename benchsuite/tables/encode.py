"""Rows of text as arrays, from the training rows alone.

A column of numbers (more than 8 different values in the table, missing ones aside) is standardized with the training rows'
mean and deviation; a missing number is the median. Any other column is a category and becomes one 0/1 column per
value of the training rows, or a single one if there are two values. A value that only test rows have is 0 in all.
"""

import csv

import numpy as np

from sources import MISSING


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


class Encoded:
    """One split, for every method.

    x: numbers standardized, then 0/1 columns; numbers: standardized numbers alone; codes: categories as 0, 1, … (-1 for
    a value that no training row has); raw: texts of categories. Each is a pair, for training and test rows.
    """

    def __init__(self, folder, table):
        header, train = read_csv(folder / "train.csv")
        _, test = read_csv(folder / "test.csv")
        place = {c: i for i, c in enumerate(table["classes"])}
        self.classes = table["classes"]
        self.y, self.y_test = (np.array([place[row[-1]] for row in rows]) for rows in (train, test))
        numeric = [i for i, name in enumerate(header[:-1]) if name in table["numeric"]]
        category = [i for i in range(len(header) - 1) if i not in numeric]
        self.numbers = self.standardize(*([[row[i] for i in numeric] for row in rows] for rows in (train, test)))
        self.raw = tuple(np.array([[row[i] for i in category] for row in rows], dtype=object) for rows in (train, test))
        values = [sorted({row[i] for row in train}) for i in category]
        self.sizes = [len(v) for v in values]
        code = lambda row: [values[j].index(row[i]) if row[i] in values[j] else -1 for j, i in enumerate(category)]
        self.codes = tuple(np.array([code(row) for row in rows], int).reshape(len(rows), -1) for rows in (train, test))
        self.x = tuple(np.hstack([n, self.one_hot(c)]) for n, c in zip(self.numbers, self.codes))

    @staticmethod
    def standardize(*parts):
        read = lambda text: np.nan if text in MISSING else float(text)
        parts = [np.array([[read(t) for t in row] for row in rows], float).reshape(len(rows), -1) for rows in parts]
        columns = parts[0].T
        median = np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0.0 for c in columns])
        parts = [np.where(np.isnan(p), median, p) for p in parts]
        mean, deviation = parts[0].mean(0), parts[0].std(0)
        return tuple((p - mean) / np.where(deviation > 0, deviation, 1) for p in parts)

    def one_hot(self, codes):
        columns = [np.zeros((len(codes), 0))]
        for j, size in enumerate(self.sizes):
            columns.append((codes[:, [j]] == np.arange(1 if size == 2 else 0, size)).astype(float))
        return np.hstack(columns)
