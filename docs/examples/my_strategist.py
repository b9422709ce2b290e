"""Expects every player to do again what it did last, and plays the best response to that."""

import hm_agent


class LastMove(hm_agent.BaseStrategist):
    async def _decide(self) -> object:
        """The strategy for what is known now: asked at the beginning and after every interaction."""
        expected = {}
        for player in self._mind.players:
            history = self._memory.of(player)
            if history:
                expected[player] = history[-1].behaviour
        return self._mind.best_response(expected)


def build(mind: object, model: hm_agent.Model, parameters: hm_agent.Parameters) -> LastMove:
    return LastMove(mind, model)


if __name__ == "__main__":
    hm_agent.register_strategist("last_move", build, about="answers everyone's last move")
    agents = ["last_move", "random"]
    results = hm_agent.play("rws_repeated_6", agent=agents, bots="scripted", max_steps=500, out="strategists")
    print(results.frame()[["agent", "value", "unit"]].to_string())
