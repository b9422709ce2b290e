"""The built-in reasoner's answers to SymmToM's questions, each calculated from its question alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.symmtom.language.board import (
    RETURNS,
    SILENCE,
    VISITS_BASE,
    YOU,
    Board,
    Meeting,
    NextTalk,
    PlayerSeen,
)
from hm_agent.worlds.symmtom.language.calls import Call, Meet, Recharge
from hm_agent.worlds.symmtom.language.exchange import best_exchange
from hm_agent.worlds.symmtom.language.hearsay import beliefs_of
from hm_agent.worlds.symmtom.views import manhattan

# How another agent speaks


@dataclass(frozen=True)
class _SpeakingRule:
    """A rule by which an agent may choose what to say. likelihood: of what it said in a turn (number) of a meeting.

    first: the piece that it says first in a meeting, given the pieces that it knows and the one that it said last.
    """

    words: str
    likelihood: Callable[[PlayerSeen, Meeting, int], float]
    first: Callable[[PlayerSeen, Sequence[int], int | None], int]


def _in_turn_likelihood(player: PlayerSeen, meeting: Meeting, turn: int) -> float:
    said, before = meeting.said[turn], meeting.said[turn - 1] if turn else None
    return 0.02 if said is None else 0.1 if said == before else 0.5


def _useful_likelihood(player: PlayerSeen, meeting: Meeting, turn: int) -> float:
    said = meeting.said[turn]
    return 0.02 if said is None else 0.7 if said in meeting.news else 0.3


def _own_likelihood(player: PlayerSeen, meeting: Meeting, turn: int) -> float:
    said = meeting.said[turn]
    if said is None or player.first_hand is None:
        return 0.02 if said is None else 0.2
    return 0.55 if said in player.first_hand else 0.03


def _random_likelihood(player: PlayerSeen, meeting: Meeting, turn: int) -> float:
    return 0.5 if meeting.said[turn] is None else 0.25


def _next_in_turn(player: PlayerSeen, known: Sequence[int], last: int | None) -> int:
    after = [piece for piece in known if last is not None and piece > last]
    return next(iter([*after, *known]), SILENCE)


def _first_own(player: PlayerSeen, known: Sequence[int], last: int | None) -> int:
    return next(iter([*(player.first_hand or ()), *known]), SILENCE)


def _same_again(player: PlayerSeen, known: Sequence[int], last: int | None) -> int:
    return SILENCE if last is None else last


RULES = (
    _SpeakingRule(
        "It says all pieces that it knows in turn, and goes to its base once it knows all.",
        _in_turn_likelihood,
        _next_in_turn,
    ),
    _SpeakingRule(
        "It says what those around it lack, and goes to its base once it knows all.", _useful_likelihood, _first_own
    ),
    _SpeakingRule("It keeps saying its first-hand pieces, whoever listens.", _own_likelihood, _first_own),
    _SpeakingRule(
        "It moves and speaks at random, sometimes of what it does not know.", _random_likelihood, _same_again
    ),
)


def _weigh(board: Board, about: str, history: Sequence[Meeting]) -> Mapping[str, float]:
    """The rules' log-likelihoods."""
    player, turns = board.player(about), [(meeting, turn) for meeting in history for turn in range(meeting.turns)]
    return {rule.words: sum(log(rule.likelihood(player, meeting, turn)) for meeting, turn in turns) for rule in RULES}


def foresee(words: str | None, board: Board, about: str, history: Sequence[Meeting]) -> NextTalk:
    """Predicts what an agent does next and says first by a hypothesis; words of no rule stand for the first rule."""
    player, known = board.player(about), beliefs_of(board).known[about]
    rule = next((rule for rule in RULES if rule.words == words), RULES[0])
    does = _does_next(board, player, known)
    then = frozenset(player.first_hand or ()) if does == VISITS_BASE else known
    last = next((piece for meeting in history[::-1] for piece in meeting.said[::-1] if piece is not None), None)
    return NextTalk(does=does, says=rule.first(player, sorted(then), last))


def _does_next(board: Board, player: PlayerSeen, known: frozenset[int]) -> str:
    """The likeliest behaviour of a player until the next meeting, one of `Board.outcomes`."""
    others = [name for name in player.near if name != YOU]
    if player.cell == player.base:
        return VISITS_BASE
    if others and YOU not in player.near:
        return f"meets {others[0]}"
    if len(known) == board.rules.pieces:
        return VISITS_BASE
    nearest = min(board.others, key=lambda other: (other is player, manhattan(other.cell, player.cell)))
    is_nearer = nearest is not player and manhattan(nearest.cell, player.cell) < manhattan(board.cell, player.cell)
    return f"meets {nearest.name}" if is_nearer else RETURNS


# What is best


def best_calls(board: Board, barred: Call | None = None) -> list[Call]:
    """The best plan, without the call that has just failed at its beginning, if the others know what is estimated."""
    knows = beliefs_of(board).known
    knowing = {name: [float(piece in known) for piece in range(board.rules.pieces)] for name, known in knows.items()}
    return best_exchange(board, knowing, barred)


def strategy_words(board: Board) -> str:
    """The calls that are best now, as a strategy."""
    match best_calls(board)[0]:
        case Recharge():
            return "Recharge now; then go back to whom most can be exchanged with."
        case Meet(player):
            return f"Meet {player}, tell it what it lacks, and recharge once all pieces are known."
    return "Go where most can be exchanged, tell what the others lack, and recharge once all pieces are known."


# Answers


def _calls(board: Board, question: Plan) -> Sequence[str]:
    return list(map(str, best_calls(board, question.barred_call)))


def _review(question: ReviewPlan) -> str:
    """States what the plan earned in each step, and what to change where that was nothing."""
    before, now = question.before, question.situation
    assert isinstance(before, Board)
    assert isinstance(now, Board)
    advice = "go on like this" if question.reward else "meet somebody else, or say other pieces"
    return f"Reward {question.reward:g} in {max(1, now.step - before.step)} steps: {advice}."


def _knows(board: Board, about: str) -> Collection[str]:
    known = beliefs_of(board).known[about]
    return [thing for piece, thing in enumerate(board.may_know(about)) if piece in known]


def _say_what_others_know(board: Board, claims: Sequence[str]) -> Sequence[str]:
    """Answers `Does player_1 know 2 now?`, as prompts/symmtom/blocks.j2 words it, by the estimate of who knows what."""
    known = beliefs_of(board).known
    bits = [_BIT.findall(claim)[0] for claim in claims]
    return ["yes" if int(piece) in known[player] else "no" for player, piece in bits]


_BIT = re.compile(r"(player_[0-9]+) know ([0-9]+)")
REASONER = WrittenReasoner(Board, _weigh, foresee, strategy_words, _calls, _review, _say_what_others_know, _knows)
ANSWERS = REASONER.answers
