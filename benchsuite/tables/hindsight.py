"""How far the best of many methods, chosen by the test rows themselves, is ahead of one, and how much of that is luck.

The best of twenty on a table's few hundred test rows is best partly by chance. So on every table it is chosen by some of the
splits, and its lead measured on others too: of the same table with other draws if there are any, else with other sizes.
"""

from collections import defaultdict

import numpy as np

# Of the accuracy: further behind the best than this is missed.
FAR = 0.03


def leads(results, name, others):
    """For each table the lead of the best of the others over a method, by all its splits."""
    tables = defaultdict(list)
    for key in results[name]:
        tables[key[0]].append(key)
    mean = lambda method, keys: float(np.mean([results[method][key]["accuracy"] for key in keys]))
    return {table: max(mean(m, keys) for m in others) - mean(name, keys) for table, keys in tables.items()}


def chosen_elsewhere(results, name, others):
    """(lead where the best was chosen, lead of the same method on the table's other splits), for each way to choose."""
    found, tables = [], defaultdict(lambda: defaultdict(list))
    draws = len({key[2] for key in results[name]}) > 1
    for key in results[name]:
        tables[key[0]][key[2] if draws else key[1]].append(key)
    for parts in tables.values():
        for part, keys in parts.items():
            # The same sizes of the other draws, or the other sizes of this one.
            sizes = {key[1] for key in keys}
            rest = [key for other in parts if other != part for key in parts[other] if not draws or key[1] in sizes]
            if not rest:
                continue
            value = lambda method, some: float(np.mean([results[method][key]["accuracy"] for key in some]))
            best = max(others, key=lambda m: value(m, keys))
            found.append((value(best, keys) - value(name, keys), value(best, rest) - value(name, rest)))
    return found


def lines(results, ours):
    """For each method how many tables it is far behind the best of the others on, and for ours how much of that is luck."""
    competitors = [m for m in results if m not in ours]
    out = [f"Tables on whose mean a method is more than {100 * FAR:.0f} points below the best of the others, chosen in hindsight", ""]
    count = {}
    for name in results:
        behind = leads(results, name, [m for m in competitors if m != name] + (ours[:1] if name not in ours else []))
        count[name] = sum(lead > FAR for lead in behind.values())
    for name in sorted(count, key=count.get):
        out.append(f"{name:<17}{count[name]:>5} of {len({key[0] for key in results[name]})}")
    for name in (m for m in ours if m in results):
        found = np.array(chosen_elsewhere(results, name, competitors))
        if not len(found):
            continue
        inside, outside = found.T
        out += ["", f"{name} against the best, chosen by one draw (or size) of a table and measured on its others too, {len(found)} times:",
                f"  where it was chosen: ahead by {100 * inside.mean():+.1f} points in the mean, by more than 3 in {100 * (inside > FAR).mean():.0f} %",
                f"  on the others:       ahead by {100 * outside.mean():+.1f} points in the mean, by more than 3 in {100 * (outside > FAR).mean():.0f} %, "
                f"behind by more than 3 in {100 * (outside < -FAR).mean():.0f} %"]
    return out + [""]
