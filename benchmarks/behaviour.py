"""`python -m benchmarks.behaviour BEFORE AFTER` checks whether two versions of the code behave the same.

BEFORE and AFTER are run folders of the same command, in any versions of the formats. All results and traces that both
have are compared; times and versions may differ. The exit status is 1 if anything else does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.behaviour import compare_runs


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 2 or not all(Path(folder).is_dir() for folder in arguments):
        sys.exit("usage: python -m benchmarks.behaviour BEFORE AFTER, two run folders")
    comparison = compare_runs(*map(Path, arguments))
    files = {"results": comparison.results, "traces": comparison.traces}
    for kind, compared in files.items():
        for name, difference in compared.differences.items():
            print(f"{name}: {difference}")
        print(f"{compared.same} of {compared.compared} {kind} are the same")
    for folder, missing in zip(arguments, (comparison.only_before, comparison.only_after), strict=True):
        if missing:
            print(f"{len(missing)} files are only in {folder}, e.g. {missing[0]}")
    if not any(compared.compared for compared in files.values()):
        sys.exit("the folders have no episode in common")
    sys.exit(any(compared.differences for compared in files.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
