"""Makes the card of an agent from the folder of a battery, and derives a card again from its answers alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hm_agent.cards.answers import Place, answers_in, content_hash, pack, unpack
from hm_agent.cards.battery import Battery, Split
from hm_agent.cards.card import ANSWERS, FILE, FOLDER, Card
from hm_agent.cards.deriving import PlayedPart, Player, derive
from hm_agent.cards.reproducing import play_again, settings_of
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.extensions import is_place
from hm_agent.models.chat import Sampling
from hm_agent.models.recorded import RecordedAnswers
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.recording import trace
from hm_agent.recording.result import FILE as RESULT
from hm_agent.recording.result import Result, read_result
from hm_agent.storage.files import folder_name


class WatchPart(Protocol):
    """Shows the progress of a part of the battery, by its title, while its missing episodes are played again."""

    def __call__(self, part: str, experiment: Experiment, *, is_scale: bool) -> AbstractContextManager[Progress]: ...


def card_folder(experiment: Experiment, agent: str) -> Path:
    return experiment.out / FOLDER / folder_name([agent]) / folder_name([experiment.model.name])


def make_cards(battery: Battery, requested: Experiment, *, tells_seed: bool) -> Iterator[tuple[str, Card, bytes]]:
    """Yields each requested agent, its card from the episodes in a battery's folder, and the archive of its answers."""
    shared: dict[str, tuple[Result, ...]] = {}
    for agent in requested.agents:
        parts = list(battery.experiments(replace(requested, agents=(agent,))))
        for part, references, _ in parts:
            if part.title not in shared:
                shared[part.title] = tuple(_results(references)) if references else ()
        played = [PlayedPart(part, tuple(_results(own)), shared[part.title], own.size) for part, _, own in parts]
        archive = _archive([own for _, _, own in parts])
        player = Player(agent, requested.model.name, requested.model.sampling.recorded())
        card = derive(player, battery, played, content_hash(archive))
        yield agent, replace(card, split_seed=battery.split.seed) if tells_seed else card, archive


def _archive(played: Iterable[Experiment]) -> bytes:
    """The answers of the episodes that have ended; nothing of the built-in reasoner's."""
    ended = [
        episode
        for experiment in played
        if experiment.model.name != BUILTIN
        for episode in experiment.plan()
        if (episode.folder / RESULT).is_file()
    ]
    return pack({_place(episode): answers_in(episode.folder / trace.FILE) for episode in ended}) if ended else b""


def _results(experiment: Experiment) -> Iterator[Result]:
    """Yields the results of an experiment's episodes that have one; of too many unanswered questions none counts."""
    for episode in experiment.plan():
        if (result := read_result(episode.folder / RESULT)) is not None:
            yield result.judged


def _place(episode: Episode) -> Place:
    return episode.scenario.name, episode.number


# From answers alone


def derive_again(
    card: Card,
    archive: bytes,
    split: Split,
    out: Path,
    watch: WatchPart,
    *,
    workers: int = 1,
    runs_own_code: bool = False,
) -> Card:
    """Plays a card's battery again by its answers, and returns the card that this gives.

    split: with the private seed, if the card does not tell it. out: a folder for the episodes. workers: how many
    processes play the agents that items are scored by. runs_own_code: True to import an agent's module that the card
    names. Raises ConfigError if it names one without that, if the answers are not those of the card, or if this version
    has other items or prompts.
    """
    if is_place(card.agent) and not runs_own_code:
        raise ConfigError(f"its agent {card.agent} is code of somebody's own: --own_code runs it")
    battery = _battery_of(card, split)
    if content_hash(archive) != card.hashes.answers:
        raise ConfigError(f"hashes.answers: the answers beside it are not those that it was made from ({ANSWERS})")
    answers = unpack(archive, ANSWERS) if archive else {}
    model = ModelSettings(card.model, sampling=Sampling(**settings_of(Sampling, card.settings)))
    requested = Experiment((), agents=(card.agent,), model=model, out=out, record_replay=False)
    played = []
    for part, references, experiment in battery.experiments(requested):
        if references:
            with watch(part.title, references, is_scale=True) as progress:
                run(replace(references, workers=workers), progress)
        with watch(part.title, experiment, is_scale=False) as progress:
            own = tuple(_own_again(experiment, answers, progress))
        shared = tuple(_results(references)) if references else ()
        played.append(PlayedPart(part, own, shared, experiment.size))
    derived = derive(Player(card.agent, card.model, card.settings), battery, played, content_hash(archive))
    _check_same("prompts", derived.hashes.prompts, card.hashes.prompts, card)
    return replace(derived, split_seed=card.split_seed)


def _own_again(experiment: Experiment, answers: dict[Place, RecordedAnswers], progress: Progress) -> Iterator[Result]:
    """Yields the results of the card's agent: of all episodes by the reasoner, of those with answers by a model."""
    is_calculated = experiment.model.name == BUILTIN
    for episode in experiment.plan():
        if is_calculated and (kept := read_result(episode.folder / RESULT)):
            yield kept.judged
        elif is_calculated or _place(episode) in answers:
            progress.begin(episode)
            result = play_again(episode, answers.get(_place(episode), {}))
            progress.end(episode, result)
            yield result.judged


def _battery_of(card: Card, split: Split) -> Battery:
    """The battery of a card; ConfigError if this version has other items, or if the seed is another one."""
    told = Split(card.split_seed) if card.split_seed is not None else split
    battery = Battery(card.size, told if card.split != Split().name else Split(), card.only)
    if battery.split.name != card.split:
        raise ConfigError("split: it was played on a private draw; say its seed with --split_seed")
    _check_same("items", battery.items_hash, card.hashes.items, card)
    return battery


def _check_same(name: str, here: str, given: str, card: Card) -> None:
    if here != given:
        made_by = card.versions.get("hm_agent", "of an unknown version")
        raise ConfigError(
            f"hashes.{name} is {given[:12]}, and this version has {here[:12]}: hm_agent {made_by} made it, and "
            "only cards of the same battery are compared"
        )


def find_cards(path: Path) -> list[Path]:
    """The card that a path names, or those in a folder: its own, or those of a battery; ConfigError for none."""
    if path.is_dir():
        found = [path / FILE] if (path / FILE).is_file() else sorted(path.glob(f"{FOLDER}/*/*/{FILE}"))
        if not found:
            raise ConfigError(f"{path} has no {FILE}: `hm-agent battery` writes one")
        return found
    return [path]
