"""The built-in reasoner's answers to SymmToM's questions, each calculated from its question alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.language_questions import ReviewPlan
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
from hm_agent.worlds.symmtom.language.calls import Call, GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.views import Cell, hearing_distance, manhattan

Known = Mapping[str, frozenset[int]]
"""What each other agent knows, by estimate."""


# Who knows what


def estimate(board: Board) -> Known:
    """Estimates what the others know: what is certain, and what they told each other unheard.

    In each turn out of hearing, a speaker is taken to tell the first of its pieces that the listener lacks (the paper's
    greedy encounters, as far as a question shows them).
    """
    known = {player.name: frozenset(player.first_hand or ()) | set(player.shown) for player in board.others}
    turns = max((contact.turns for player in board.others for contact in player.unheard), default=0)
    for turn in range(turns):
        before = dict(known)
        for player in board.others:
            for contact in player.unheard:
                new = sorted(before[contact.name] - known[player.name]) if turn < contact.turns else []
                known[player.name] |= frozenset(new[:1])
    return known


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


def _weigh(board: Board, about: str, history: Sequence[Meeting], earlier: Sequence[Hypothesis]) -> Mapping[str, float]:
    """The rules' log-likelihoods, to which the values of earlier hypotheses are added."""
    player, values = board.player(about), {hypothesis.words: hypothesis.value for hypothesis in earlier}
    turns = [(meeting, turn) for meeting in history for turn in range(meeting.turns)]

    def weight(rule: _SpeakingRule) -> float:
        return values.get(rule.words, 0.0) + sum(log(rule.likelihood(player, meeting, turn)) for meeting, turn in turns)

    return {rule.words: weight(rule) for rule in RULES}


def foresee(words: str | None, board: Board, about: str, history: Sequence[Meeting]) -> NextTalk:
    """Predicts what an agent does next and says first by a hypothesis; words of no rule stand for the first rule."""
    player, known = board.player(about), estimate(board)[about]
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


# Where to go and what to say


@dataclass(frozen=True)
class _Prospect:
    """Another agent as it is expected to be when it is met.

    lacks: the pieces that it could be told. teaches: how many pieces it could tell.
    """

    name: str
    cell: Cell
    lacks: frozenset[int]
    teaches: int

    @property
    def gain(self) -> int:
        """How many pieces both could tell each other."""
        return self.teaches + len(self.lacks)


def _prospects(board: Board) -> list[_Prospect]:
    """The other agents; one out of range that knows all and can move is expected on its base, having recharged."""
    prospects, knows = [], estimate(board)
    for player in board.others:
        known, cell = knows[player.name], player.cell
        if len(known) == board.rules.pieces and YOU not in player.near and not player.is_held:
            known, cell = frozenset(player.first_hand or ()), player.base
        lacks = frozenset(board.knows) - known
        prospects.append(_Prospect(player.name, cell, lacks, len(known & set(board.lacks))))
    return prospects


def best_calls(board: Board, barred: Call | None = None) -> list[Call]:
    """Recharges if that pays; else goes where most can be learnt and taught per step, and says what listeners lack."""
    prospects = _prospects(board)
    steps_left = board.steps - board.step
    if not board.lacks and barred != Recharge() and max(1, manhattan(board.cell, board.base)) <= steps_left:
        return [Recharge(), *_pieces_to_say(board, prospects)]
    walk, listeners = _best_walk(board, prospects, barred)
    return [walk, *_pieces_to_say(board, listeners or prospects), Recharge()]


def _pieces_to_say(board: Board, listeners: Sequence[_Prospect]) -> list[Call]:
    """What to say: the pieces that most listeners lack first, on a tie the agent's own; all if nobody lacks any."""
    lacking = {piece: sum(piece in listener.lacks for listener in listeners) for piece in board.knows}
    order = sorted(board.knows, key=lambda piece: (-lacking[piece], piece not in board.first_hand, piece))
    return [Say(piece) for piece in order if lacking[piece]] or [Say(piece) for piece in order]


def _best_walk(board: Board, prospects: Sequence[_Prospect], barred: Call | None) -> tuple[Call, list[_Prospect]]:
    """The walk with the most gain per step, and the agents that are then in range; never the barred walk.

    If no walk gains anything, it leads to the middle and is heard by nobody.
    """
    options: list[tuple[float, int, Call, list[_Prospect]]] = []
    for index, prospect in enumerate(prospects):
        walk: Call = Meet(prospect.name)
        if prospect.cell != board.player(prospect.name).cell:  # it is on its way to its base, which must stay free
            beside = [cell for cell in _cells_near(board, [prospect]) if cell != prospect.cell]
            cell = min(beside, key=lambda cell: manhattan(board.cell, cell))
            walk = Meet(prospect.name) if cell == board.cell else GoTo(cell)
        distance = max(0, manhattan(board.cell, prospect.cell) - board.rules.hearing)
        options.append((prospect.gain / (distance + 1), -index, walk, [prospect]))
    for cell in _cells_near(board, prospects):
        near = [prospect for prospect in prospects if hearing_distance(cell, prospect.cell) <= board.rules.hearing]
        if len(near) > 1 and not any(prospect.cell == cell for prospect in near):
            gain = sum(prospect.gain for prospect in near)
            options.append((gain / (manhattan(board.cell, cell) + 1), -len(prospects), GoTo(cell), near))
    useful = [option for option in options if option[2] != barred and option[0] > 0]
    if not useful:
        return _walk_to_the_middle(board, barred), []
    _, _, walk, listeners = max(useful, key=lambda option: option[:2])
    return walk, listeners


def _walk_to_the_middle(board: Board, barred: Call | None) -> GoTo:
    """A walk to the middle of the board or, if that is barred, to the free cell nearest to it."""
    middle = (board.rules.width - 1) // 2, (board.rules.width - 1) // 2
    if GoTo(middle) != barred:
        return GoTo(middle)
    taken = {middle, *(player.cell for player in board.others)}
    cells = ((x, y) for x in range(board.rules.width) for y in range(board.rules.width))
    return GoTo(min((cell for cell in cells if cell not in taken), key=lambda cell: manhattan(cell, middle)))


def _cells_near(board: Board, prospects: Sequence[_Prospect]) -> list[Cell]:
    """The cells in hearing range of any of these agents, sorted."""
    reach = range(-board.rules.hearing, board.rules.hearing + 1)
    cells = {(prospect.cell[0] + x, prospect.cell[1] + y) for prospect in prospects for x in reach for y in reach}
    return sorted(cell for cell in cells if all(0 <= part < board.rules.width for part in cell))


def strategy_words(board: Board) -> str:
    """The calls that are best now, as a strategy."""
    match best_calls(board)[0]:
        case Recharge():
            return "Recharge now; then go back to whom most can be exchanged with."
        case Meet(player):
            return f"Meet {player}, tell it what it lacks, and recharge once all pieces are known."
    return "Go where most can be exchanged, tell what the others lack, and recharge once all pieces are known."


# Answers


def _calls(board: Board, barred: Call | None) -> Sequence[str]:
    return list(map(str, best_calls(board, barred)))


def _review(question: ReviewPlan) -> str:
    """States what the plan earned in each step, and what to change where that was nothing."""
    before, now = question.before, question.situation
    assert isinstance(before, Board)
    assert isinstance(now, Board)
    advice = "go on like this" if question.reward else "meet somebody else, or say other pieces"
    return f"Reward {question.reward:g} in {max(1, now.step - before.step)} steps: {advice}."


def _knows(board: Board, about: str) -> Collection[str]:
    known = estimate(board)[about]
    return [thing for piece, thing in enumerate(board.may_know(about)) if piece in known]


def _say_what_others_know(board: Board, claims: Sequence[str]) -> Sequence[str]:
    """Answers `Does player_1 know 2 now?`, as prompts/symmtom/blocks.j2 words it, by the estimate of who knows what."""
    known = estimate(board)
    bits = [_BIT.findall(claim)[0] for claim in claims]
    return ["yes" if int(piece) in known[player] else "no" for player, piece in bits]


_BIT = re.compile(r"(player_[0-9]+) know ([0-9]+)")
REASONER = WrittenReasoner(Board, _weigh, foresee, strategy_words, _calls, _review, _say_what_others_know, _knows)
ANSWERS = REASONER.answers
