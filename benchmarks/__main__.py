"""`python -m benchmarks NAME ...` runs the named benchmarks; without a name, all but the stress tests.

`stress` stands for the long benchmarks and those with failures: every_substrate, attack, faults, kills, conversations,
workers, soak, many_results.
`rates` records what `--estimate` reads, and is run only by its name.
`python -m benchmarks.behaviour BEFORE AFTER` measures nothing: it compares two run folders episode by episode.
"""

import sys

from benchmarks import (
    accuracy,
    attack,
    bots,
    calls,
    conversations,
    enacttom,
    enacttom_hard,
    enacttom_ladder,
    enacttom_language,
    every_substrate,
    exploretom,
    exploretom_functional,
    exploretom_pairs,
    exploretom_search,
    faults,
    kills,
    loop,
    many_results,
    matrix_games,
    melting_pot_learners,
    rates,
    replay,
    rewards,
    sights,
    soak,
    speed,
    starting,
    symmtom,
    symmtom_language,
    symmtom_mixed,
    symmtom_pairs,
    symmtom_speed,
    text_env,
    tokens,
    workers,
)

SECTIONS = {
    "speed": speed.main,
    "starting": starting.main,
    "accuracy": accuracy.main,
    "rewards": rewards.main,
    "sights": sights.main,
    "loop": loop.main,
    "bots": bots.main,
    "calls": calls.main,
    "tokens": tokens.main,
    "replay": replay.main,
    "symmtom": symmtom.main,
    "symmtom_language": symmtom_language.main,
    "symmtom_mixed": symmtom_mixed.main,
    "symmtom_pairs": symmtom_pairs.main,
    "symmtom_speed": symmtom_speed.main,
    "exploretom": exploretom.main,
    "exploretom_search": exploretom_search.main,
    "exploretom_functional": exploretom_functional.main,
    "exploretom_pairs": exploretom_pairs.main,
    "enacttom": enacttom.main,
    "enacttom_hard": enacttom_hard.main,
    "enacttom_ladder": enacttom_ladder.main,
    "enacttom_language": enacttom_language.main,
    "matrix_games": matrix_games.main,
    "text_env": text_env.main,
    "melting_pot_learners": melting_pot_learners.main,
}
STRESS = {
    "every_substrate": every_substrate.main,
    "attack": attack.main,
    "faults": faults.main,
    "kills": kills.main,
    "conversations": conversations.main,
    "workers": workers.main,
    "soak": soak.main,
    "many_results": many_results.main,
}
ALL = SECTIONS | STRESS | {"rates": rates.main}

if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(f"{__doc__}\nNames: {', '.join(ALL)}, stress.")
        sys.exit()
    names = [name for argument in sys.argv[1:] or SECTIONS for name in (STRESS if argument == "stress" else [argument])]
    if unknown := set(names) - set(ALL):
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}; the names are {', '.join(ALL)}, stress")
    for name in names:
        print(f"\n## {name}\n", flush=True)
        ALL[name]()
