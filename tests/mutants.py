"""Puts small faults into a copy of the package, one at a time, and tells which of them the tests notice.

`mutants.toml` lists them, each with the file, the text to find there, the text to put in its place, and the tests that
should fail. First these tests run on the copy as it is, and have to pass.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from pydantic import TypeAdapter

from hm_agent.config import read_toml

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 120
"""Seconds after which a test counts as hanging, and so fails."""
AT_ONCE = 2
CAUGHT = "caught"
OUTCOMES = {0: "SURVIVED", 1: CAUGHT}
"""By pytest's exit status; any other means that the tests could not run."""


@dataclass(frozen=True)
class Mutant:
    """A fault. find: text that occurs once in `file`. tests: files, or tests as `file::name`. why: what it spoils."""

    name: str
    file: str
    find: str
    put: str
    tests: tuple[str, ...]
    why: str

    @property
    def problems(self) -> Iterator[str]:
        """What keeps this mutant from being tried."""
        count = (ROOT / self.file).read_text("utf-8").count(self.find) if (ROOT / self.file).is_file() else 0
        if count != 1:
            yield f"{self.name}: {self.find!r} occurs {count} times in {self.file}, not once"
        for test in self.tests:
            path, _, name = test.partition("::")
            if not (ROOT / path).is_file() or f"def {name}(" * bool(name) not in (ROOT / path).read_text("utf-8"):
                yield f"{self.name}: there is no {test}"


def listed() -> Sequence[Mutant]:
    return read_toml(ROOT / "tests/mutants.toml", TypeAdapter(dict[str, tuple[Mutant, ...]]))["mutant"]


def run_tests(folder: Path, tests: Collection[str], *options: str) -> int:
    """Runs tests in a copy, up to the first that fails; returns pytest's exit status."""
    command = (sys.executable, "-m", "pytest", "-xq", "--tb=short", "-p", "no:cacheprovider", *options, *tests)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    with (folder / "output").open("w") as output:
        return subprocess.run(
            command, cwd=folder, env=environment, stdout=output, stderr=output, check=False
        ).returncode


def outcome_in(folder: Path, mutant: Mutant) -> str:
    """What comes of a mutant in a copy, which is as before afterwards."""
    path = folder / mutant.file
    original = path.read_text("utf-8")
    try:
        rewrite(path, original.replace(mutant.find, mutant.put))
        return OUTCOMES.get(run_tests(folder, mutant.tests, f"--timeout={LIMIT}"), "BROKEN")
    finally:
        rewrite(path, original)


def rewrite(module: Path, text: str) -> None:
    """Changes a module and removes what was compiled of it, which Python may take for that of a file of equal size."""
    module.write_text(text, "utf-8")
    Path(cache_from_source(module)).unlink(missing_ok=True)


def copies(folder: Path, tests: Collection[str]) -> list[Path]:
    """Copies the files that git tracks, as they are now, AT_ONCE times; exits if the tests fail on them."""
    first, *others = (folder / str(number) for number in range(AT_ONCE))
    names = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    for name in filter(None, names.decode().split("\0")):
        (first / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, first / name, follow_symlinks=False)
    if run_tests(first, tests):
        sys.exit(f"{(first / 'output').read_text()}\nThese tests fail without any mutant.")
    return [first, *(shutil.copytree(first, other, symlinks=True) for other in others)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="try the mutants whose name or file contains this")
    only = parser.parse_args().only
    chosen = [mutant for mutant in listed() if only in mutant.name or only in mutant.file]
    if problems := [problem for mutant in chosen for problem in mutant.problems]:
        sys.exit("\n".join(problems))
    if not chosen:
        sys.exit(f"--only={only}: no mutant has such a name or file")
    outcomes: dict[Mutant, str] = {}
    free: SimpleQueue[Path] = SimpleQueue()

    def attempt(mutant: Mutant) -> None:
        folder, begun = free.get(), time.monotonic()
        outcomes[mutant] = outcome_in(folder, mutant)
        free.put(folder)
        print(f"{outcomes[mutant]:8} {time.monotonic() - begun:4.0f} s  {mutant.name}", flush=True)

    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary, ThreadPoolExecutor(AT_ONCE) as pool:
        for folder in copies(Path(temporary), sorted({test for mutant in chosen for test in mutant.tests})):
            free.put(folder)
        list(pool.map(attempt, chosen))
    missed = [mutant for mutant in chosen if outcomes[mutant] != CAUGHT]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} are caught.")
    for mutant in missed:
        print(f"{outcomes[mutant]}: {mutant.name}, in {mutant.file}: {mutant.why}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
