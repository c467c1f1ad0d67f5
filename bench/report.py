"""The report of a program that a benchmark runs."""
import json
import os
import subprocess


def report_of(words, folder, environment=None):
    """Runs a program in a folder, with --json report.json among its words, and reads what it wrote there."""
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        return json.load(file)
