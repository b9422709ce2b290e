"""The learning algorithms by name: the K that agents are given, and their networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.networks import Network, Shape


@dataclass(frozen=True)
class Algorithm:
    """about: a description. kind: of the K that agents are given. network: in its default size."""

    about: str
    kind: str
    network: Network


ALGORITHMS: Mapping[str, Algorithm] = {
    "ippo": Algorithm("PPO; is given what it witnessed that others were told (CE)", "ce", Shape()),
    "ippo_ge": Algorithm("PPO; is given that and the best guess at what it could not hear (GE)", "ge", Shape()),
    "ippo_oracle": Algorithm("PPO; is given what the others truly know", "oracle", Shape()),
    "ippo_first_hand": Algorithm(
        "PPO; is given first-hand knowledge alone, and remembers nothing", "first_hand", Shape()
    ),
    "ippo_gru": Algorithm(
        "PPO; is given first-hand knowledge alone, and has a GRU to remember", "first_hand", Shape(is_recurrent=True)
    ),
    "maddpg": Algorithm("MADDPG; is given the last turn, and remembers nothing", "first_hand", ActorShape()),
    "maddpg_oracle": Algorithm("MADDPG; is given what all truly know", "oracle", ActorShape(sees_k=True)),
    "maddpg_ce": Algorithm("MADDPG; is given what it witnessed (CE)", "ce", ActorShape(sees_k=True)),
    "maddpg_ge": Algorithm(
        "MADDPG; is given that and the best guess at what it could not hear (GE)", "ge", ActorShape(sees_k=True)
    ),
    "maddpg_ee": Algorithm(
        "MADDPG; learns to estimate what it could not hear (EE)", "first_hand", ActorShape(memory="estimate")
    ),
    "rmaddpg": Algorithm(
        "MADDPG; is given the last turn, and has an LSTM to remember", "first_hand", ActorShape(memory="lstm")
    ),
}
