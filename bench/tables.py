#!/usr/bin/env python3
"""Tables of rates in the documents, made from the CSV files of bench runs.

    tables.py           write them into the documents
    tables.py --check   say which differ from the CSV, exit code 1 if any (a test)

A document has <!-- table NAME --> and <!-- end -->; what is between them is NAME's table below.
"""
import csv
import os
import re
import sys

from scaling import Device, row

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ORDERS = (2, 4, 6, 8)


def read(name):
    with open(os.path.join(ROOT, "bench", name)) as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def table(header, rows):
    """Markdown, the first column left, the others right."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [header] + rows]
    lines.insert(1, "|---" + "|--:" * (len(header) - 1) + "|")
    return "\n".join(lines) + "\n"


class Gpu:
    """bench/wave_h200.csv: best rates of bench_wave_cuda by order, grid, options and engine."""

    def __init__(self):
        self.rows = read("wave_h200.csv")

    def find(self, order, size, options="", engine=None):
        for row in self.rows:
            plain = re.sub(":axes=...", "", row["options"])
            if (int(row["order"]), row["size"], plain) == (order, size, options):
                if engine in (None, row["engine"]):
                    return float(row["best Gcells/s"])
        return None

    def cell(self, order, size, options="", engine=None):
        rate = self.find(order, size, options, engine)
        return "" if rate is None else f"{rate:.0f}"

    def dts(self, order):
        return next(r["dts"] for r in self.rows if int(r["order"]) == order and r["engine"] == "torre")


LARGE = "1024x1024x512"
OPERATIONS = {2: 8, 4: 16, 6: 27, 8: 33}  # a cell, wave_cell.cuh
ISSUE = 132 * 4 * 32 * 1.98  # operations a nanosecond of an H200


def wave_h200_limits():
    gpu = Gpu()
    rows = []
    for order in ORDERS:
        stepwise, torre, array, points = (gpu.find(order, LARGE, options, engine) for options, engine in (
            ("", "stepwise"), ("", "torre"), (":model", "torre"), (":points", "torre")))
        rows.append([f"{order}", f"{stepwise:.0f}", f"**{torre:.0f}** ({gpu.dts(order)})",
                     f"{torre / stepwise:.1f}", f"{100 * torre * OPERATIONS[order] / ISSUE:.0f} %",
                     f"{array:.0f}, {100 * array / torre:.0f} %", f"{points:.0f}, {100 * points / torre:.0f} %"])
    return table(["order", "stepwise", "torre (dts)", "torre / stepwise", "of issue roofline", "array", "points"], rows)


def wave_h200():
    gpu = Gpu()

    def row(name, *key):
        return [name] + [gpu.cell(order, *key) for order in ORDERS]

    rows = [row("one step at a time", LARGE, "", "stepwise"), row("**towers**", LARGE, "", "torre"),
            row("velocity per cell, one step at a time", LARGE, ":model", "stepwise"),
            row("velocity per cell, towers", LARGE, ":model", "torre"),
            row("velocity and density per cell, one step at a time", LARGE, ":model:density", "stepwise"),
            row("velocity and density per cell, towers", LARGE, ":model:density", "torre"),
            row("towers, 100 sources and 10,000 receivers", LARGE, ":points"),
            row("towers, sponges on all sides", LARGE, ":absorbing")]
    for size in ("2560x2560x2560", "501x501x501", "256x256x256", "2048x2048x64", "2048x2048x37",
                 "4096x4096x16", "16384x16384x1"):
        rows.append(row(size, size))
    return table(["Gcells/s", "order 2", "4", "6", "8"], rows)


def wave_cpu():
    rows = []
    for r in read("wave_epyc.csv"):
        name = r["order"] + (", velocity per cell" if r["velocity"] == "array" else "")
        rows.append([name, f"{float(r['roofline_gb_s']):.0f}", f"{float(r['stepwise_gcells_s']):.2f}", r["dts"],
                     f"{float(r['torre_gcells_s']):.2f}",
                     f"{float(r['torre_gcells_s']) / float(r['stepwise_gcells_s']):.2f}"])
    return table(["order", "GB/s", "one step at a time", "DTS", "towers", "towers / one step at a time"], rows)


def rates():
    """The one table of the README: two cores and one GPU."""
    gpu = Gpu()
    cpu = {int(r["order"]): r for r in read("wave_epyc.csv") if r["velocity"] == "constant"}
    rows = [["2 cores of an AMD EPYC: one step at a time"] + [f"{float(cpu[o]['stepwise_gcells_s']):.1f}" for o in ORDERS],
            ["towers"] + [f"**{float(cpu[o]['torre_gcells_s']):.1f}**" for o in ORDERS]]
    for name, *key in (("one NVIDIA H200: one step at a time", LARGE, "", "stepwise"),
                       ("towers", LARGE, "", "torre"),
                       ("towers, 100 sources and 10,000 receivers", LARGE, ":points"),
                       ("towers, a velocity for each cell", LARGE, ":model", "torre"),
                       ("towers, sponges on all sides", LARGE, ":absorbing")):
        cells = [gpu.cell(order, *key) for order in ORDERS]
        rows.append([name] + ([f"**{c}**" for c in cells] if name == "towers" else cells))
    return table(["Gcells/s", "order 2", "4", "6", "8"], rows)


def md_h200():
    rows = [[f"{int(r['atoms']):,}", r["precision"], r["list"], f"{1000 * float(r['gatom_steps_per_s']):,.0f}"]
            for r in read("md_h200.csv")]
    return table(["atoms", "precision", "lists", "million atom-steps/s"], rows)


def scaling():
    """bench/SCALING.md: on paper, from measured rates."""
    rows, devices = [], []
    for order in (2, 8):
        wanted = (str(order), "torre", LARGE, "")
        found = next(r for r in Gpu().rows if (r["order"], r["engine"], r["size"], r["options"]) == wanted)
        devices.append(Device(order, 1e9 * float(found["best Gcells/s"]), int(found["dts"]), int(found["height"])))
    for name, link, counts in (("GPUs of a host", 374e9, (2, 4, 8)), ("nodes of a GPU", 50e9, (2, 4, 8, 16, 32, 64))):
        rows += [[f"{count} {name}"] + [cell for d in devices for cell in row(d, count, link)] for count in counts]
    header = [f"order {order}: {what}" for order in (2, 8) for what in ("weak, 1024 steps", "weak, 10240", "strong")]
    return table([""] + header, rows)


def devices():
    """bench/SCALING.md: several GPUs, measured."""
    rows = [[f"{r['order']}{', a velocity for each cell' if r['velocity'] == 'cells' else ''}", r["steps"],
             r["one_gcells_per_s"], f"{r['same_gcells_per_s']} ({r['same_ratio']})",
             f"{r['long_gcells_per_s']} ({r['long_ratio']})", f"{r['same_height']}, {r['long_height']}",
             f"{r['same_waited_percent']}, {r['long_waited_percent']}"] for r in read("devices_h200.csv")]
    return table(["order", "steps", "one GPU", "two, the same grid", "two, a grid twice as long", "towers, steps high",
                  "waited, %"], rows)


TABLES = {f.__name__: f for f in (rates, scaling, devices, wave_h200_limits, wave_h200, wave_cpu, md_h200)}


def main():
    check = "--check" in sys.argv[1:]
    different = 0
    for folder, _, files in os.walk(ROOT):
        if re.search(r"/(build[^/]*|\.git)(/|$)", folder):
            continue
        for name in files:
            if not name.endswith(".md"):
                continue
            path = os.path.join(folder, name)
            with open(path) as f:
                text = f.read()
            new = re.sub(r"(<!-- table (\w+) -->\n)(.*?)(<!-- end -->)",
                         lambda m: m.group(1) + TABLES[m.group(2)]() + m.group(4), text, flags=re.S)
            if new == text:
                continue
            different += 1
            if check:
                print(f"{os.path.relpath(path, ROOT)}: a table differs from its CSV; run bench/tables.py")
            else:
                with open(path, "w") as f:
                    f.write(new)
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
