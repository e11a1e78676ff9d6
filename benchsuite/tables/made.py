"""Tables made from a known rule: the rule is a function, so every input can be checked.

A table has columns of words or of numbers. If it has few inputs, all of them are its rows; otherwise rows are drawn, each
at most once. Draws use `Random.random` alone, whose sequence Python keeps the same from version to version.
"""

import hashlib
import itertools
import math
from dataclasses import dataclass
from random import Random
from typing import Callable

# rows of a table that has more inputs than this
ROWS = 1000


def stream(*key):
    """A generator that depends on the key alone."""
    digest = hashlib.sha256("\0".join(map(str, key)).encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def below(rng, count):
    return int(rng.random() * count)


def shuffled(rng, items):
    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = below(rng, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


@dataclass(frozen=True)
class Words:
    values: tuple

    def draw(self, rng):
        return self.values[below(rng, len(self.values))]

    def holds(self, text):
        return text in self.values


@dataclass(frozen=True)
class Numbers:
    """Evenly spread from low to high, written with so many decimals."""

    low: float
    high: float
    decimals: int = 0

    def draw(self, rng):
        return f"{self.low + rng.random() * (self.high - self.low):.{self.decimals}f}"

    def holds(self, text):
        return self.low <= float(text) <= self.high


@dataclass(frozen=True)
class Made:
    name: str
    says: str
    target: str
    columns: dict
    # from a row as {column: text} to the class
    rule: Callable

    def inputs(self):
        """All inputs in order, or None where a column has numbers."""
        if not all(isinstance(c, Words) for c in self.columns.values()):
            return None
        return itertools.product(*(c.values for c in self.columns.values()))

    def label(self, row):
        return self.rule(dict(zip(self.columns, row)))

    def rows(self):
        """Different inputs, each with its class behind it."""
        rng = stream("made", self.name)
        if self.inputs() and math.prod(len(c.values) for c in self.columns.values()) <= 1024:
            rows = shuffled(rng, self.inputs())
        else:
            # A dictionary keeps the order and drops what was drawn before.
            rows = {}
            while len(rows) < ROWS:
                rows[tuple(c.draw(rng) for c in self.columns.values())] = None
        return [(*row, self.label(row)) for row in rows]


def words(text):
    return Words(tuple(text.split()))


def several(names, column):
    return {name: column for name in names.split()}


def yes(condition):
    return "yes" if condition else "no"


PEOPLE = "ann bob cid dee eve flo gus hal ida"
LAMPS = "north east south west roof cellar"


def votes(row):
    return sum(row[person] == "yes" for person in PEOPLE.split())


def count_class(row):
    return "many" if votes(row) >= 6 else "some" if votes(row) >= 4 else "few"


def parcel(row):
    if row["country"] == "abroad":
        return "plane"
    if row["fragile"] == "yes" or row["size"] == "large":
        return "van"
    return "bike"


def loan(row):
    if row["history"] == "bad":
        return "ask" if row["guarantor"] == "yes" and float(row["income"]) >= 50 else "refuse"
    if float(row["income"]) >= 30:
        return "grant"
    return "ask" if row["history"] == "good" else "refuse"


def risk(row):
    signs = [float(row["age"]) >= 50, float(row["bmi"]) >= 28, float(row["pressure"]) >= 140]
    signs += [row["smoker"] == "yes", row["family"] == "yes"]
    return "high" if sum(signs) >= 3 else "low"


def random_label(classes):
    """A class that follows from the row, but from nothing that can be learned."""
    return lambda row: classes[below(stream("random label", *row.values()), len(classes))]


COLOURS = ("red", "green", "blue", "grey")
MIXED = {
    **several("c1 c2 c3", words("a b c")),
    **several("c4 c5", words("on off")),
    **several("x1 x2 x3", Numbers(0, 100, 1)),
}

RULES = [
    Made("count-5-of-9", "at least 5 of 9 say yes", "passed", several(PEOPLE, words("yes no")), lambda r: yes(votes(r) >= 5)),
    Made("exactly-2-of-6", "exactly 2 of 6 lamps are red", "alarm", several(LAMPS, words("red green blue")),
         lambda r: yes(sum(v == "red" for v in r.values()) == 2)),
    Made("majority-veto", "at least 5 of 9 say yes and the chair does not object", "passed",
         several(PEOPLE, words("yes no")) | {"chair": words("agrees objects")},
         lambda r: yes(votes(r) >= 5 and r["chair"] == "agrees")),
    Made("count-3-classes", "up to 3, 4 to 5, or more of 9 say yes", "support", several(PEOPLE, words("yes no")), count_class),
    Made("one-of-8-columns", "one column of 8 decides", "floats",
         several("shape colour origin maker finish age use", words("p q r")) | {"material": words("wood iron stone cork")},
         lambda r: yes(r["material"] in ("wood", "cork"))),
    Made("two-equal", "two columns have the same value, 4 others do not matter", "match",
         several("left right", Words(COLOURS)) | several("d1 d2 d3 d4", words("a b c d")), lambda r: yes(r["left"] == r["right"])),
    Made("xor-2-of-8", "one of two columns of 8 is on, not both", "light", several("s1 s2 s3 s4 s5 s6 s7 s8", words("on off")),
         lambda r: yes(r["s3"] != r["s6"])),
    Made("parcels", "nested conditions, 3 classes", "carrier",
         {"size": words("small medium large"), "fragile": words("yes no"), "country": words("home abroad"),
          "insured": words("yes no"), "express": words("yes no"), "day": words("mon tue wed thu fri")}, parcel),
    Made("multiplexer", "one column names the column that has the answer", "answer",
         {"select": words("first second third fourth")} | several("first second third fourth", words("low mid high")),
         lambda r: r[r["select"]]),
    Made("eight-classes", "three columns name one of 8 classes, 3 others do not matter", "code",
         several("a b c", words("0 1")) | several("d e f", words("x y z")), lambda r: "k" + r["a"] + r["b"] + r["c"]),
    Made("threshold", "age is at least 40", "senior",
         {"age": Numbers(18, 80), "height": Numbers(150, 200), "income": Numbers(10, 90, 1), "city": words("york bath leeds hull")},
         lambda r: yes(float(r["age"]) >= 40)),
    Made("interval", "the temperature is from 15 to 25", "grows",
         {"temperature": Numbers(0, 40, 1), "humidity": Numbers(20, 95), "light": Numbers(0, 12, 1), "soil": words("clay sand loam")},
         lambda r: yes(15 <= float(r["temperature"]) <= 25)),
    Made("number-and-word", "the weight is above 12 and the country is abroad", "customs",
         {"weight": Numbers(0, 30, 1), "value": Numbers(5, 500), "country": words("home abroad"), "carrier": words("bike van plane")},
         lambda r: yes(float(r["weight"]) > 12 and r["country"] == "abroad")),
    Made("linear-score", "2a + b - c is at least 100, d does not matter", "accepted", several("a b c d", Numbers(0, 100)),
         lambda r: yes(2 * float(r["a"]) + float(r["b"]) - float(r["c"]) >= 100)),
    Made("greater", "one number is greater than another", "profit",
         {"price": Numbers(1, 50, 1), "cost": Numbers(1, 50, 1), "stock": Numbers(0, 200), "shop": words("east west")},
         lambda r: yes(float(r["price"]) > float(r["cost"]))),
    Made("loan", "nested conditions on words and a number, 3 classes", "decision",
         {"income": Numbers(10, 90, 1), "history": words("good none bad"), "guarantor": words("yes no"), "children": Numbers(0, 4),
          "region": words("north south")}, loan),
    Made("risk-3-of-5", "at least 3 of 5 signs, three of them thresholds", "risk",
         {"age": Numbers(20, 80), "bmi": Numbers(18, 38, 1), "pressure": Numbers(100, 180), "smoker": words("yes no"),
          "family": words("yes no"), "ward": words("a b c")}, risk),
]

RANDOM = [
    Made("random-2", "two classes without a rule", "label", MIXED, random_label(("yes", "no"))),
    Made("random-3", "three classes without a rule", "label", MIXED, random_label(("low", "mid", "high"))),
]
