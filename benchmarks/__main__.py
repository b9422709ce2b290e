"""`python -m benchmarks NAME ...` runs the named benchmarks; without a name, all but the stress tests.

`stress` stands for the long benchmarks and those with failures: every_substrate, attack, faults, kills, conversations,
workers, soak, many_results.
`rates` records what `--estimate` reads, and is run only by its name.
`python -m benchmarks.behaviour BEFORE AFTER` measures nothing: it compares two run folders episode by episode.
"""

import sys
from importlib import import_module

SECTIONS = [
    "speed",
    "starting",
    "accuracy",
    "rewards",
    "sights",
    "loop",
    "bots",
    "calls",
    "tokens",
    "replay",
    "symmtom",
    "symmtom_language",
    "symmtom_mixed",
    "symmtom_pairs",
    "matrix_pairs",
    "symmtom_speed",
    "exploretom",
    "exploretom_search",
    "exploretom_functional",
    "exploretom_pairs",
    "enacttom",
    "enacttom_hard",
    "enacttom_ladder",
    "enacttom_language",
    "matrix_games",
    "text_env",
    "text_learning",
    "melting_pot_learners",
]
STRESS = ["every_substrate", "attack", "faults", "kills", "conversations", "workers", "soak", "many_results"]
ALL = [*SECTIONS, *STRESS, "rates"]

if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(f"{__doc__}\nNames: {', '.join(ALL)}, stress.")
        sys.exit()
    names = [name for argument in sys.argv[1:] or SECTIONS for name in (STRESS if argument == "stress" else [argument])]
    if unknown := set(names) - set(ALL):
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}; the names are {', '.join(ALL)}, stress")
    for name in names:
        print(f"\n## {name}\n", flush=True)
        import_module(f"benchmarks.{name}").main()
