"""Records what a replay shows beside the trace, and writes the replay's page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Viewer
from hm_agent.core import Decision, Recorder, Seat, Step
from hm_agent.models.prompts import render
from hm_agent.recording import trace
from hm_agent.recording.replay.film import CompressedText, Film, Pixels
from hm_agent.recording.replay.page import Recording, replay_page
from hm_agent.recording.result import Result
from hm_agent.storage.files import write_whole

PAGE = "replay.html"
THUMBNAIL = "thumbnail.png"


class ReplayRecorder(Recorder):
    """Keeps the films of an episode and, for each step, a line of JSON with what the trace lacks.

    A line has `totals`, each seat's reward so far, and `seats`: for each seat that acted, what the viewer shows
    (`shown`), the `threshold` of its hypotheses, and `asked`, an entry for each question: the `seconds` it took, how
    many of its calls were `cached`, what these `saved` (USD), and the `prompt` if no language model was called. Totals,
    `shown` and `threshold` are written as changes since they were written last: JSON merge patches (RFC 7396), in which
    null removes a key. viewer: None for a world without pictures.
    """

    def __init__(self, viewer: Viewer | None, folder: Path, scenario: ScenarioInfo) -> None:
        self._viewer, self._folder, self._scenario = viewer, folder, scenario
        self._films: dict[str, Film] = {}
        self._lines, self._count = CompressedText(), 0
        self._totals: Mapping[Seat, float] = {}
        self._latest: dict[Seat, Mapping[str, Any]] = {}
        self._thumbnail: tuple[float, Pixels] | None = None

    def record(self, step: Step) -> None:
        if self._viewer:
            self._add_frames(self._viewer.frames(step), max(map(abs, step.rewards.values()), default=0.0))
        seats = {seat: self._changes_of(step, seat, decision) for seat, decision in step.decisions.items()}
        line = {"totals": merge_patch(self._totals, step.totals), "seats": seats}
        self._totals = step.totals
        self._lines.add(_dumps(trace.to_json(line)).encode() + b"\n")
        self._count += 1

    def _add_frames(self, frames: Mapping[str, Pixels], reward: float) -> None:
        for name in frames:
            self._films.setdefault(name, Film(first=self._count))
        for name, film in self._films.items():
            if name in frames:
                film.add(frames[name])
            else:
                film.repeat()
        if frames and (self._thumbnail is None or reward > self._thumbnail[0]):
            self._thumbnail = reward, next(iter(frames.values())).copy()

    def _changes_of(self, step: Step, seat: Seat, decision: Decision[Any]) -> dict[str, Any]:
        shown = self._viewer.shown(step, seat) if self._viewer else {}
        current = {"shown": shown, "threshold": decision.thoughts.threshold}
        changes = merge_patch(self._latest.get(seat, {"shown": {}}), current)
        self._latest[seat] = current
        # The trace lacks times and savings, which differ between runs, and has a prompt only where a model was called.
        questions: list[dict[str, Any]] = []
        for exchange in decision.exchanges:
            questions.append({"seconds": round(exchange.seconds, 4)})
            if exchange.calls:
                cached = [call for call in exchange.calls if call.cached]
                questions[-1] |= {"cached": len(cached), "saved": sum(call.cost or 0.0 for call in cached)}
            else:
                questions[-1]["prompt"] = render(exchange.question)
        return changes | ({"asked": questions} if questions else {})

    def write(self, result: Result) -> None:
        """Writes the page and, if there are frames, that of the largest reward as a thumbnail; errors are `OSError`.

        This is no part of `close`, since the page also shows the result, which is known only later. The trace has to be
        in the folder already. An episode without a step gets no page.
        """
        if not self._count:
            return
        recorded_trace = CompressedText()
        recorded_trace.add((self._folder / trace.FILE).read_bytes())
        if self._thumbnail:
            Image.fromarray(self._thumbnail[1]).save(self._folder / THUMBNAIL, optimize=True)
        recording = Recording(self._films, self._lines, recorded_trace)
        write_whole(self._folder / PAGE, replay_page(result, self._scenario, self._viewer, recording))


_dumps = json.JSONEncoder(separators=(",", ":")).encode


def merge_patch(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON merge patch (RFC 7396) from one mapping to another; a key whose value is None counts as absent."""
    patch: dict[str, Any] = {}
    for key in {**before, **now}:
        old, new = before.get(key), now.get(key)
        if old is new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            if changed := merge_patch(old, new):
                patch[key] = changed
        elif old != new or type(old) is not type(new):  # True is equal to 1
            patch[key] = new
    return patch
