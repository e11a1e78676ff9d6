"""python3 -m unittest discover benchsuite/tables (needs NumPy)"""

import gzip
import math
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np

import compete
import each
import fresh
import hindsight
import made
import measures
import ours
import report
import sources
import splits
from encode import Encoded, read_csv
from made import Numbers, Words

# training rows of count-5-of-9, n 10, replicate 0
PINNED = [409, 97, 443, 116, 120, 313, 231, 240, 481, 374]
# answers x and abstains from the rest
FAKE = """#!{0}
import pathlib, sys
command, first, *rest = sys.argv[1:]
if command == "fit":
    if "--extra" not in rest:
        sys.exit(print("no --extra", file=sys.stderr) or 3)
    assert rest[rest.index("--target") + 1] == "passed"
    pathlib.Path(rest[rest.index("--out") + 1]).mkdir()
    print('{{"metric": "training accuracy"}}\\n{{"rule": null}}')
else:
    header, *rows = pathlib.Path(rest[0]).read_text().split()
    print(header + ",prediction,probability,agreement,p(no),p(yes)")
    for row in rows:
        print(row + (",yes,0.800,1,0.200,0.800" if row == "x" else ",,,,,"))
"""


def table(name):
    return next(t for t in made.RULES + made.RANDOM if t.name == name)


def label(name, **row):
    return table(name).rule(row)


class Rules(unittest.TestCase):
    def test_rows_are_different_inputs_with_the_label_of_the_rule(self):
        for t in made.RULES + made.RANDOM:
            rows = t.rows()
            self.assertEqual(len({row[:-1] for row in rows}), len(rows), t.name)
            for row in rows:
                self.assertTrue(all(c.holds(v) for c, v in zip(t.columns.values(), row)), (t.name, row))
                self.assertEqual(row[-1], t.label(row[:-1]))
            self.assertEqual(rows, t.rows(), "drawn again, they are the same")

    def test_numbers_of_inputs_by_class_are_those_of_combinatorics(self):
        count = lambda name: Counter(map(table(name).label, table(name).inputs()))
        c = math.comb
        self.assertEqual(count("count-5-of-9"), {"yes": 256, "no": 256})
        # two of six are red, the other four are green or blue
        self.assertEqual(count("exactly-2-of-6"), {"yes": c(6, 2) * 2**4, "no": 3**6 - c(6, 2) * 2**4})
        self.assertEqual(count("majority-veto"), {"yes": 256, "no": 768})
        some, many = c(9, 4) + c(9, 5), sum(c(9, k) for k in range(6, 10))
        self.assertEqual(count("count-3-classes"), {"few": 512 - some - many, "some": some, "many": many})
        self.assertEqual(count("two-equal"), {"yes": 4**5, "no": 3 * 4**5})
        self.assertEqual(count("xor-2-of-8"), {"yes": 128, "no": 128})
        self.assertEqual(count("parcels"), {"plane": 120, "van": 80, "bike": 40})
        self.assertEqual(count("multiplexer"), {"low": 108, "mid": 108, "high": 108})
        self.assertEqual(set(count("eight-classes").values()), {27})
        self.assertEqual(len(count("eight-classes")), 8)
        half = 3**7 * 2
        self.assertEqual(count("one-of-8-columns"), {"yes": half, "no": half})

    def test_rules_with_numbers_at_their_edges(self):
        self.assertEqual([label("threshold", age=a) for a in ("39", "40")], ["no", "yes"])
        inside = [label("interval", temperature=t) for t in ("14.9", "15.0", "25.0", "25.1")]
        self.assertEqual(inside, ["no", "yes", "yes", "no"])
        customs = [label("number-and-word", weight=w, country=c) for w, c in (("12.0", "abroad"), ("12.1", "abroad"), ("30", "home"))]
        self.assertEqual(customs, ["no", "yes", "no"])
        self.assertEqual([label("linear-score", a="40", b="40", c=c) for c in ("20", "21")], ["yes", "no"])
        self.assertEqual([label("greater", price=p, cost="9.0") for p in ("9.0", "10.0")], ["no", "yes"])
        loans = [label("loan", history=h, guarantor=g, income=i) for h, g, i in
                 (("bad", "yes", "50"), ("bad", "yes", "49.9"), ("bad", "no", "90"), ("good", "no", "30"), ("good", "no", "29"), ("none", "no", "29"))]
        self.assertEqual(loans, ["ask", "refuse", "refuse", "grant", "ask", "refuse"])
        signs = dict(age="50", bmi="28.0", pressure="139", smoker="no", family="no")
        self.assertEqual([label("risk-3-of-5", **signs), label("risk-3-of-5", **signs | {"smoker": "yes"})], ["low", "high"])

    def test_random_labels_hold_nothing_that_a_column_tells(self):
        for name, share in (("random-2", 1 / 2), ("random-3", 1 / 3)):
            rows = table(name).rows()
            for place, column in enumerate(table(name).columns.values()):
                if isinstance(column, Words):
                    for value in column.values:
                        some = [row[-1] for row in rows if row[place] == value]
                        # five standard errors
                        far = 5 * math.sqrt(share * (1 - share) / len(some))
                        for count in Counter(some).values():
                            self.assertLess(abs(count / len(some) - share), far, (name, place, value))

    def test_numbers_are_written_with_their_decimals(self):
        rng = made.stream("test")
        self.assertRegex(Numbers(1, 50, 1).draw(rng), r"^\d+\.\d$")
        self.assertRegex(Numbers(18, 80).draw(rng), r"^\d+$")


class Fresh(unittest.TestCase):
    """Known rules have the sizes that their homes print; tables have names of their own and two classes or more."""

    def test_rules(self):
        shares = {t.name: Counter(row[-1] for row in t.rows) for t in fresh.rules()}
        self.assertEqual(shares["balance-scale"], Counter(L=288, R=288, B=49))
        self.assertEqual(shares["monk1"], Counter({"0": 216, "1": 216}))
        self.assertEqual(shares["monk3"], Counter({"0": 204, "1": 228}))
        self.assertEqual(sum(shares["led7"].values()), 500)

    def test_groups(self):
        tables, _ = fresh.tables()
        others = {t.name for t in sources.artificial()} | {entry.split("/")[1] for entry in sources.REAL}
        self.assertFalse(others & {t.name for t in tables})
        for table in tables:
            self.assertGreater(len(table.classes()), 1, table.name)
            self.assertIn(table.group, ("fresh", "kept-back"))


class Splits(unittest.TestCase):
    tables = sources.artificial()

    def test_training_and_test_rows_are_disjoint_and_come_again(self):
        for t in self.tables:
            for n in splits.SIZES:
                train, test = splits.draw(t, n, 0)
                self.assertEqual(len(set(train)), n)
                self.assertEqual(len(set(test)), min(splits.TEST, len(t.rows) - n))
                self.assertFalse(set(train) & set(test))
                self.assertEqual(splits.split(t, n, 0), splits.split(t, n, 0))
                self.assertGreater(len({row[-1] for row in splits.split(t, n, 0)[0]}), 1)
            self.assertNotEqual(splits.draw(t, 10, 0), splits.draw(t, 10, 1))

    def test_a_draw_is_the_one_of_the_kept_results(self):
        t = next(t for t in self.tables if t.name == "count-5-of-9")
        self.assertEqual(splits.draw(t, 10, 0)[0], PINNED)

    def test_noise_changes_training_labels_only_and_in_its_share(self):
        by_name = {t.name: t for t in self.tables}
        for base in made.RULES:
            for percent in (5, 10):
                noisy, wrong, rows = by_name[f"{base.name}~{percent}"], 0, 0
                for replicate in range(40):
                    clean, with_noise = splits.split(by_name[base.name], 50, replicate), splits.split(noisy, 50, replicate)
                    self.assertEqual(clean[1], with_noise[1], "test rows are clean")
                    self.assertEqual([r[:-1] for r in clean[0]], [r[:-1] for r in with_noise[0]])
                    wrong += sum(a != b for a, b in zip(clean[0], with_noise[0]))
                    rows += 50
                share = percent / 100
                self.assertLess(abs(wrong / rows - share), 5 * math.sqrt(share * (1 - share) / rows), noisy.name)

    def test_the_first_part_of_a_run_has_every_table_once(self):
        with tempfile.TemporaryDirectory() as folder:
            work, tables = Path(folder), [dict(name=name) for name in "abcdef"]
            for one in tables:
                for n in splits.SIZES[: 2 if one["name"] == "f" else 4]:
                    (work / "splits" / one["name"] / f"n{n}-r3").mkdir(parents=True)
            found = compete.places(work, tables, [3, 4], splits.SIZES)
            self.assertEqual((len(found), len(set(found))), (22, 22))
            self.assertEqual({name for _, name, _ in found[:6]}, set("abcdef"))
            self.assertEqual({name for _, name, _ in found[-5:]}, set("abcde"))
            self.assertGreater(len({n for _, _, n in found[:6]}), 1)

    def test_a_small_table_has_no_split(self):
        rows = tuple((str(i), str(i % 2)) for i in range(29))
        small = sources.Table("small", "real", ("a", "target"), rows, "small")
        self.assertIsNone(splits.split(small, 10, 0))
        rows += (("29", "1"),)
        self.assertEqual(len(splits.split(sources.Table("small", "real", ("a", "target"), rows, "small"), 10, 0)[1]), 20)

    def test_a_table_of_one_class_is_refused(self):
        one = sources.Table("one", "real", ("a", "target"), tuple((str(i), "1") for i in range(40)), "one")
        with self.assertRaisesRegex(ValueError, "one: 10,000 draws of 10 rows had one class only"):
            splits.split(one, 10, 0)

    def test_files_hold_the_values_of_the_source(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "tables").mkdir()
            rows = [f"{i / 7!r}\t{i % 3}\t{'NA' if i == 5 else i % 2}\t{i % 2}" for i in range(40)]
            with gzip.open(folder / "tables" / "own.tsv.gz", "wt") as file:
                file.write("x\ttarget\ta,b\tc\n" + "\n".join(rows) + "\n")
            found, absent = sources.real(folder)
            self.assertEqual([t.name for t in found], ["own"])
            self.assertIn("tables/glass.tsv.gz", absent)
            self.assertEqual(splits.write(found[0], folder, range(2)), 4)
            self.assertEqual(found[0].numeric(), ["x"])
            header, train = read_csv(folder / "splits/own/n10-r0/train.csv")
            _, test = read_csv(folder / "splits/own/n10-r0/test.csv")
            self.assertEqual(header, ["x", "a,b", "c", "target"])
            fields = [r.split("\t") for r in rows]
            self.assertEqual(sorted(train + test), sorted([f[0], f[2], f[3], f[1]] for f in fields))
            one = Encoded(folder / "splits/own/n10-r0", splits.describe(found[0]))
            self.assertEqual([len(one.x[0]), len(one.x[1])], [10, 30])
            np.testing.assert_allclose(one.numbers[0].mean(0), 0, atol=1e-12)
            np.testing.assert_allclose(one.numbers[0].std(0), 1)


class Measures(unittest.TestCase):
    p, y = np.array([[0.7, 0.3, 0.0], [0.2, 0.8, 0.0]]), np.array([0, 2])

    def test_log_loss_by_hand(self):
        # The second row's class has probability 0: 0.001 of 1.001 in all.
        expected = -(math.log(0.7 / 1.001) + math.log(0.001 / 1.001)) / 2
        self.assertAlmostEqual(measures.log_loss(self.p, self.y), expected, 12)
        expected = -(math.log(0.7 / 1.000001) + math.log(0.000001 / 1.000001)) / 2
        self.assertAlmostEqual(measures.log_loss(self.p, self.y, 1e-6), expected, 12)

    def test_brier_by_hand(self):
        self.assertAlmostEqual(measures.brier(self.p, self.y), (0.09 + 0.09 + 0.04 + 0.64 + 1) / 2, 12)

    def test_calibration_by_hand(self):
        # Two rows at 0.9, one of them right, and two at 1, both right: |1.8 - 1| of 4 rows.
        p = np.array([[0.9, 0.1], [0.9, 0.1], [1.0, 0.0], [0.0, 1.0]])
        bins = measures.histogram(p, np.array([0, 1, 0, 1]))
        self.assertEqual([b[0] for b in bins], [0] * 13 + [2, 2])
        self.assertAlmostEqual(measures.expected_calibration_error(bins), 0.8 / 4, 12)
        self.assertEqual(measures.measure(p, np.array([0, 1, 0, 1]))["accuracy"], 0.75)

    def test_equal_values_share_their_rank(self):
        self.assertEqual(list(report.ranks([0.3, 0.1, 0.3, 0.9])), [2.5, 1, 2.5, 4])


class Ours(unittest.TestCase):
    def test_the_luck_of_the_best_is_seen_on_other_draws(self):
        # 20 competitors that only differ by chance, and ours that is as good as they are.
        rng = np.random.default_rng(0)
        keys = [(f"t{i}", 20, r) for i in range(40) for r in (0, 1)]
        one = lambda more: {key: dict(accuracy=0.7 + more + 0.05 * rng.standard_normal()) for key in keys}
        results = {"ours": one(0.0), **{f"m{i}": one(0.0) for i in range(20)}}
        inside, outside = np.array(hindsight.chosen_elsewhere(results, "ours", [f"m{i}" for i in range(20)])).T
        self.assertGreater(inside.mean(), 0.06)
        self.assertLess(abs(outside.mean()), 0.02)
        # One that is better everywhere stays so.
        results["m0"] = one(0.3)
        inside, outside = np.array(hindsight.chosen_elsewhere(results, "ours", [f"m{i}" for i in range(20)])).T
        self.assertGreater(outside.mean(), 0.25)
        self.assertGreater(min(hindsight.leads(results, "ours", ["m0"]).values()), 0.1)

    def test_a_split_alone_has_its_rarest_class_and_sure_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            work, table = Path(folder), dict(name="t-1", classes=["no", "yes"])
            rows = work / "splits" / "t-1" / "n3-r7"
            rows.mkdir(parents=True)
            (rows / "train.csv").write_text("a,y\n1,no\n2,yes\n3,no\n")
            (rows / "test.csv").write_text("a,y\n1,no\n2,no\n3,yes\n4,yes\n")
            path = work / "t-1-n3-r7.npy"
            np.save(path, np.array([[0.6, 0.4], [0.02, 0.98], [0.06, 0.94], [0.94, 0.06]], np.float32))
            n, draw, rarest, *found = each.split(work, "strat", table, path)
            self.assertEqual((n, draw, rarest, found[0].tolist()), (3, 7, 1, [True, False, True, False]))
            # Of four answers two are wrong, one of them with more than 0.95.
            self.assertEqual(each.words(*found).split()[0::3], ["50.0", "25.00"])

    def test_answers_are_read_by_the_names_of_classes(self):
        answer = 'a,"b,c",prediction,probability,agreement,p(no),p(yes)\n1,2,yes,0.75,1,0.25,0.75\n1,9,,,,,\n'
        p = ours.read_answer(answer, 2, ["maybe", "no", "yes"])
        np.testing.assert_array_equal(p[0], [0, 0.25, 0.75])
        self.assertTrue(np.isnan(p[1, 1:]).all())

    def test_strat_is_asked_without_the_target(self):
        table = dict(classes=["maybe", "no", "yes"])
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "train.csv").write_text("a,passed\nx,yes\ny,no\ny,no\nx,no\n")
            (folder / "test.csv").write_text("a,passed\nx,maybe\nz,yes\n")
            program = folder / "program"
            program.write_text(FAKE.format(sys.executable))
            program.chmod(0o755)
            p, unanswered, said = ours.strat_probabilities(str(program), folder, table, ["--extra"])
            np.testing.assert_allclose(p, [[0, 0.2, 0.8], [0, 0.75, 0.25]])
            self.assertEqual((unanswered, said["rule"]), (1, None))
            self.assertGreater(said["seconds"], 0)
            with self.assertRaisesRegex(RuntimeError, "fit ended with code 3: no --extra"):
                ours.strat_probabilities(str(program), folder, table)

    def test_another_form_of_answer_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "agreement.*adjust read_answer"):
            ours.read_answer("a,prediction,agreement\n1,yes,0.9\n", 1, ["no", "yes"])
        with self.assertRaisesRegex(RuntimeError, r"p\(other\).* name no class"):
            ours.read_answer("a,prediction,probability,agreement,p(other)\n1,yes,0.9,1,1\n", 1, ["no", "yes"])


if __name__ == "__main__":
    unittest.main()
