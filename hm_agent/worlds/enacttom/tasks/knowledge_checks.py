"""Checks what the agents of a task know from the start, and the rules of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from hm_agent.worlds.enacttom.tasks.characters import GOSSIP, RELAY, SILENT, CharacterMind, CharacterRule
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.house_checks import check_known
from hm_agent.worlds.enacttom.tasks.mechanics import HouseMechanics
from hm_agent.worlds.enacttom.tasks.pddl import PddlProblem, TaskError, read_expressions, read_proposition
from hm_agent.worlds.enacttom.tasks.propositions import MECHANIC, MOST_DEPTH, PHYSICAL, Claim, Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import TaskFile

Facts = Mapping[str, tuple[Proposition, ...]]
"""The facts that each agent knows."""


def read_fact(
    where: str, text: str, problem: PddlProblem, allowed: Mapping[str, tuple[tuple[str, ...], ...]] = PHYSICAL
) -> Proposition:
    """Reads a fact of a field. allowed: see `read_proposition`. Raises TaskError that names the field, `where`."""
    try:
        (expression,) = read_expressions(text)
        return read_proposition(expression, problem.objects, allowed)
    except TaskError as error:
        raise TaskError(f"{where}: {str(error).removeprefix('problem_pddl, line 1: ')}") from None
    except ValueError:
        raise TaskError(f"{where}: {text!r} is not one proposition") from None


def initial_knowledge(
    file: TaskFile,
    problem: PddlProblem,
    mechanics: HouseMechanics,
    init: frozenset[Proposition],
    goal: tuple[Claim, ...],
    owned: Mapping[str, tuple[Claim, ...]],
) -> tuple[tuple[Proposition, ...], Facts]:
    """Returns the public facts, and all facts that each agent knows from the start."""
    shared = [wanted(conjunct.proposition) for conjunct in goal if conjunct.depth == 0]
    private = {
        agent: [wanted(conjunct.proposition) for conjunct in claims if conjunct.depth == 0]
        for agent, claims in owned.items()
    }
    possible = init | mechanics.propositions | set(shared) | {fact for facts in private.values() for fact in facts}
    agents = tuple(file.agent_spawns)
    public = read_known_facts("public_facts", file.public_facts, problem, possible)
    is_prose = file.as_published is not None and file.secret_facts is None
    if file.secret_facts is None and not is_prose:
        public = tuple(dict.fromkeys((*public, *shared)))
    check_known("secret_facts", file.secret_facts or (), agents, "agent")
    secret = {
        agent: read_known_facts(f"secret_facts of {agent}", texts, problem, possible)
        for agent, texts in (file.secret_facts or {}).items()
    }
    known = {
        agent: tuple(dict.fromkeys((*public, *secret.get(agent, ()), *private.get(agent, ())))) for agent in agents
    }
    for fact in () if is_prose else shared:
        if not any(fact in facts for facts in known.values()):
            raise TaskError(f"nobody knows that {fact.goal.pddl} is wanted: add {fact.pddl} to someone's secret_facts")
    return public, known


def read_known_facts(
    where: str, texts: Iterable[str], problem: PddlProblem, possible: frozenset[Proposition]
) -> tuple[Proposition, ...]:
    facts = []
    for text in texts:
        fact = read_fact(where, text, problem, PHYSICAL | MECHANIC)
        if fact not in possible:
            why = (
                "the goal has no such conjunct without K"
                if fact.predicate == Is.WANTED
                else "it does not hold at the start"
            )
            raise TaskError(f"{where}: {fact.pddl} can't be known: {why}")
        facts.append(fact)
    return tuple(facts)


def checked_mind(agent: str, character: CharacterRule, problem: PddlProblem, plan: FloorPlan) -> CharacterMind:
    """Checks the rule of one character."""
    where = f"characters: {agent}"
    check_known("characters", [agent], plan.agents, "agent")
    check_known(f"{where} tells", character.tells, [other for other in plan.agents if other != agent], "other agent")
    check_known(f"{where} unless", character.unless, plan.agents, "agent")
    if any(one == other for one, other in pairwise((agent, *character.unless))):
        raise TaskError(f"{where}: unless names an agent that follows itself: K_a K_a p is K_a p")
    if len(character.unless) >= MOST_DEPTH:
        raise TaskError(f"{where}: unless is {len(character.unless)} deep; at most {MOST_DEPTH - 1} is supported")
    if character.kind in (GOSSIP, RELAY) and not character.tells:
        raise TaskError(f"{where}: a {character.kind} tells somebody: name agents in tells")
    if character.kind == SILENT and character.tells:
        raise TaskError(f"{where}: a silent one tells nobody, but tells names {', '.join(character.tells)}")
    wants, believes = (
        tuple(read_fact(f"{where} {field}", text, problem) for text in texts)
        for field, texts in (("wants", character.wants), ("believes", character.believes))
    )
    if strange := next((want for want in wants if want.predicate in (Is.IN_ROOM, Is.ON_FLOOR)), None):
        raise TaskError(f"{where}: it can't want {strange.pddl}: name furniture, a hand, or open and closed")
    if character.cues and len(character.cues) != len(wants):
        raise TaskError(f"{where}: there are {len(character.cues)} cues for {len(wants)} wants")
    check_known(f"{where} cues", character.cues, plan.objects, "object")
    return CharacterMind(
        character.kind, wants, character.cues, character.tells, character.announces, character.unless, believes
    )
