"""The tables: real ones from the data folder, made ones, and made ones with wrong labels in the training rows."""

import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import made

# shares of training rows whose label is replaced by another one
NOISE = (0.05, 0.10)
# what stands where a value is not known
MISSING = {"", "NA", "?"}
REPOSITORY = Path(__file__).resolve().parents[2]
# Named, so that a missing one is seen.
REAL = """
tables/GAMETES_Epistasis_2_Way_20atts_0.4H_EDM_1_1 tables/analcatdata_bankruptcy tables/analcatdata_boxing1
tables/analcatdata_creditscore tables/analcatdata_lawsuit tables/appendicitis tables/backache tables/bupa tables/cleve
tables/contraceptive tables/corral tables/dermatology tables/ecoli tables/flags tables/glass tables/haberman
tables/hepatitis tables/hungarian tables/irish tables/mux6 tables/new_thyroid tables/nursery tables/parity5+5
tables/penguins tables/prnn_crabs tables/profb tables/saheart tables/solar_flare_1 tables/xd6
pmlb/led24 pmlb/mofn_3_7_10 pmlb/monk2 pmlb/parity5 pmlb/threeOf9 pmlb/tic_tac_toe
""".split()


@dataclass(frozen=True)
class Table:
    name: str
    # "real", "rule", "noisy" or "random"
    group: str
    # the last one is the target
    header: tuple
    rows: tuple
    # the table whose draws it shares: wrong labels are the only difference
    base: str
    noise: float = 0.0

    @property
    def target(self):
        return self.header[-1]

    def classes(self):
        return sorted({row[-1] for row in self.rows})

    def numeric(self):
        """The columns that are numbers with more than 8 different values; all others are categories."""
        found = []
        for i, name in enumerate(self.header[:-1]):
            values = {row[i] for row in self.rows} - MISSING
            if len(values) > 8 and all(is_number(v) for v in values):
                found.append(name)
        return found


def is_number(text):
    try:
        return float(text) == float(text) and abs(float(text)) != float("inf")
    except ValueError:
        return False


def data_folder():
    """`STRAT_DATA`, or `shared/data` beside the repository."""
    return Path(os.environ.get("STRAT_DATA") or REPOSITORY.parent / "shared" / "data")


def read_tsv(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = [tuple(line.rstrip("\r\n").split("\t")) for line in file if line.strip()]
    header, rows = lines[0], lines[1:]
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ValueError(f"{path}, line {number}: {len(row)} fields, but the header has {len(header)}")
    if "target" not in header:
        raise ValueError(f"{path}: no column 'target' in {', '.join(header)}")
    # Last in nearly all of these tables; flags has it elsewhere.
    place = header.index("target")
    last = lambda row: (*row[:place], *row[place + 1 :], row[place])
    return last(header), [last(row) for row in rows]


def spect(folder):
    """UCI's SPECT: both files, with the class moved from the first place to the last."""
    rows = []
    for name in ("SPECT.train", "SPECT.test"):
        for line in (folder / name).read_text().split():
            label, *values = line.split(",")
            rows.append((*values, label))
    return (*(f"F{i}" for i in range(1, len(rows[0]))), "target"), rows


def real(folder):
    """The tables of the data folder, and the names of those that are not there."""
    found, absent = [], []
    paths = {path.name.removesuffix(".tsv.gz"): path for part in ("tables", "pmlb") for path in (folder / part).glob("*.tsv.gz")}
    for entry in REAL:
        if entry.split("/")[1] not in paths:
            absent.append(f"{entry}.tsv.gz")
    for name, path in sorted(paths.items()):
        header, rows = read_tsv(path)
        found.append(Table(name, "real", header, tuple(rows), name))
    if all((folder / name).exists() for name in ("SPECT.train", "SPECT.test")):
        header, rows = spect(folder)
        found.append(Table("SPECT", "real", header, tuple(rows), "SPECT"))
    else:
        absent.append("SPECT.train and SPECT.test")
    return found, absent


def artificial():
    found = []
    for group, tables in (("rule", made.RULES), ("random", made.RANDOM)):
        for table in tables:
            header, rows = (*table.columns, table.target), tuple(table.rows())
            found.append(Table(table.name, group, header, rows, table.name))
            if group == "rule":
                for noise in NOISE:
                    name = f"{table.name}~{100 * noise:.0f}"
                    found.append(Table(name, "noisy", header, rows, table.name, noise))
    return found
