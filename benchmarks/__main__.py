"""`python -m benchmarks [speed] [accuracy] [rewards] [calls] [tokens]`: all of them where none is named."""

import sys

from benchmarks import accuracy, calls, rewards, speed, tokens

SECTIONS = {
    "speed": speed.main,
    "accuracy": accuracy.main,
    "rewards": rewards.main,
    "calls": calls.main,
    "tokens": tokens.main,
}

if __name__ == "__main__":
    names = sys.argv[1:] or list(SECTIONS)
    if unknown := set(names) - set(SECTIONS):
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}: there are {', '.join(SECTIONS)}")
    for name in names:
        print(f"\n## {name}\n", flush=True)
        SECTIONS[name]()
