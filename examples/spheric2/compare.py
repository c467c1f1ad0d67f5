#!/usr/bin/env python3
"""Heights and pressures of a run beside the experiment: compare.py [FOLDER]

Of a run's rows means over 10 ms are made, as the experiment's are. Heights: the mean difference over the whole run, by
the highest that was measured in that time, and when the water comes (2 cm). Pressures: the peak of the first impact
(0.3 to 1.2 s) at P1 to P4, and when it comes (a quarter of the measured peak). The table goes to compare.csv, too.
"""
import csv
import os
import sys

COMES, SHARE, IMPACT = 0.02, 0.25, (0.3, 1.2)


def rows(path):
    with open(path) as f:
        lines = [r for r in csv.reader(line for line in f if not line.startswith("#")) if r]
    return lines[0], [[float(v) for v in r] for r in lines[1:]]


def means(table):
    """Of rows [t, ...] the means over 10 ms around 0, 0.01, ... s, by their number."""
    bins = {}
    for r in table:
        bins.setdefault(round(100 * r[0]), []).append(r[1:])
    return {n: [sum(c) / len(c) for c in zip(*b)] for n, b in bins.items()}


def first(series, least):
    """When a series {n: value} first reaches that; None: never."""
    return next((n / 100 for n in sorted(series) if series[n] >= least), None)


def column(table, k, times):
    return {n: table[n][k] for n in times}


def off(a, b):
    return None if a is None or not b else a / b - 1


def text(value, form="%.3g"):
    return "" if value is None else form % value


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    names, table = rows(os.path.join(os.path.dirname(os.path.abspath(__file__)), "experiment.csv"))
    measured = means(table)
    runs = {"P": means(rows(os.path.join(folder, "probes.csv"))[1]),
            "H": means(rows(os.path.join(folder, "heights.csv"))[1])}
    lines = []
    for k, name in enumerate(names[1:]):
        run = runs[name[0]]
        times = [n for n in run if n in measured]
        a, b = column(run, k % 8, times), column(measured, k, times)
        if name[0] == "H":
            most = max(b.values())
            error = sum(abs(a[n] - b[n]) for n in times) / len(times) / most
            come = (first(a, COMES), first(b, COMES)) if name != "H4" else (None, None)
            lines.append([name, "m", text(max(a.values())), text(most), "%.1f%%" % (100 * error) if most > COMES else "", *come])
        elif name < "P5":
            times = [n for n in times if IMPACT[0] <= n / 100 <= IMPACT[1]]
            a, b = column(run, k, times), column(measured, k, times)
            if not times:
                continue
            peak, most = max(a.values()), max(b.values())
            come = first(a, SHARE * most), first(b, SHARE * most)
            lines.append([name, "Pa", text(peak, "%.0f"), text(most, "%.0f"),
                          "%+.1f%%" % (100 * off(peak, most)), *come])
    head = ["", "unit", "highest", "measured", "off", "comes_s", "measured_s", "off"]
    with open(os.path.join(folder, "compare.csv"), "w") as f:
        for line in [head] + lines:
            if line is not head:
                late = off(line[5], line[6])
                line = line[:5] + [text(line[5]), text(line[6]), "" if late is None else "%+.1f%%" % (100 * late)]
            f.write(",".join(line) + "\n")
            print(("%-4s" + "%11s" * 7) % tuple(line))


main()
