"""A model that answers with the choice that is named last in the prompt."""

import json
import re

import hm_agent


class LastWord(hm_agent.Chat):
    async def complete(self, request: hm_agent.Request) -> hm_agent.Reply:
        prompt = request.messages[-1].content  # after a bad answer: what was wrong with it
        choices = re.search(r"Choose one: (.*)\.", prompt)
        names = re.findall(r'"([^"]+)"', choices.group(1)) if choices else ["nothing"]
        answer = max(names, key=lambda name: prompt[: choices.start()].rfind(name) if choices else 0)
        return hm_agent.Reply((json.dumps({"answer": answer}),), input_tokens=len(prompt) // 4, output_tokens=5)


def build(seed: int) -> LastWord:
    return LastWord()


if __name__ == "__main__":
    hm_agent.register_model("last_word", build)
    results = hm_agent.play("exploretom_a1", agent="reader", model="last_word", out="models")
    print(results.frame()[["agent", "model", "value", "unit", "calls", "unanswered"]].to_string())
