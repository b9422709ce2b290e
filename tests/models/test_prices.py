"""What tokens cost, and files of prices that can't be right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.models.endpoint.completion_reading import read_completion
from hm_agent.models.prices import OPENAI, STANDARD, Price, load_prices, price_of
from hm_agent.models.settings import PRESETS

OF_OPENAI = [settings.name for settings in PRESETS.values() if settings.name.startswith("gpt-")]


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, "utf-8")
    return path


MILLION = 1_000_000


def listed(name: str, endpoint: str | None = None, cached: int = 0, rates: str = STANDARD) -> float | None:
    """What a million tokens of input and of output cost, of the input a number from the endpoint's cache."""
    price = price_of(name, endpoint, None, rates)
    return price.of(MILLION, MILLION, cached) if price else None


def test_models_of_the_paper_cost_what_was_asked_for_them() -> None:
    assert OF_OPENAI == ["gpt-4-1106-preview", "gpt-3.5-turbo-1106"]
    assert [listed(name) for name in OF_OPENAI] == [40, 3]
    assert listed(PRESETS["llama-3"].name) is None


def test_input_from_the_endpoint_s_cache_and_batches_are_cheaper() -> None:
    assert listed("gpt-4o") == listed("gpt-4o", OPENAI) == 12.5
    assert listed("gpt-4o", cached=MILLION) == 11.25
    assert listed("gpt-4o", rates="batch") == 6.25


def test_prices_are_those_of_the_endpoint_s_provider() -> None:
    assert listed("deepseek-chat", "https://api.deepseek.com") is not None
    for elsewhere in ("http://localhost:8000/v1", "http://127.0.0.1/v1", "https://models.example.org/v1"):
        assert listed("gpt-4o", elsewhere) is None
    assert listed("deepseek-chat") is None


def test_own_prices_win_wherever_the_endpoint_is(tmp_path: Path) -> None:
    own = written(tmp_path, '["gpt-4o"]\ninput = 7\noutput = 0\n[mine]\ninput = 2\noutput = 1\ncached_input = 0.5\n')
    assert price_of("gpt-4o", None, own) == Price(7, 0)
    assert price_of("mine", "http://localhost:8000/v1", own) == Price(2, 1, 0.5)
    assert price_of("o3", None, own) == price_of("o3", None)
    assert Price(2, 1, 0.5).of(MILLION, 0, MILLION // 2) == 1.25
    assert Price(2, 1).of(MILLION, 0, MILLION // 2) == 2


@pytest.mark.parametrize(
    "text",
    [
        "[own",
        "input = 1\noutput = 2",
        "[own]\ninput = 1",
        "[own]\ninput = 1\noutput = 2\ncached = 0.1",
        "[own]\ninput = -1\noutput = 2",
        "[own]\ninput = nan\noutput = 2",
        "[own]\ninput = 1\noutput = inf",
        '[own]\ninput = "cheap"\noutput = 2',
        "[gpt-4.1]\ninput = 1\noutput = 2",
    ],
    ids=["no_toml", "no_model", "missing", "unknown", "negative", "nan", "infinite", "word", "name_without_quotes"],
)
def test_wrong_file_is_refused_with_the_right_form(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError, match=rf"^--prices={path}: .*\[name\], input = ") as refused:
        load_prices(path)
    assert "\n" not in str(refused.value)
    assert "pydantic" not in str(refused.value)


def test_wrong_value_is_named_by_its_key(tmp_path: Path) -> None:
    path = written(tmp_path, "[own]\ninput = 1\noutput = -2")
    with pytest.raises(ConfigError, match=rf"^--prices={path}: own\.output: Input should be greater than"):
        load_prices(path)


def test_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("# £\n".encode("latin-1"))
    for path in (tmp_path / "missing", tmp_path, tmp_path / "latin"):
        with pytest.raises(ConfigError, match=f"^--prices={path}: "):
            load_prices(path)


def test_cost_is_reckoned_for_a_million_tokens() -> None:
    assert Price(10, 30).of(1_000_000, 0) == 10
    assert Price(10, 30).of(0, 1_000_000) == 30
    assert Price(10, 30).of(1500, 500) == pytest.approx(0.03)
    assert Price(0, 0).of(10, 10) == 0


@pytest.mark.parametrize("tokens", [(None, 1), (1, None), (None, None)])
def test_cost_of_unknown_tokens_is_unknown(tokens: tuple[int | None, int | None]) -> None:
    assert Price(10, 30).of(*tokens) is None
    assert Price(0, 0).of(*tokens) is None
    price = price_of("gpt-4o", None)
    assert price
    assert price.of(*tokens) is None


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 5}}, 5),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, 4),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": "many"}}, None),
        ({"prompt_tokens": 9, "prompt_tokens_details": []}, None),
    ],
    ids=["openai", "deepseek", "word", "list"],
)
def test_the_endpoint_says_how_much_of_the_input_it_had_cached(usage: dict[str, Any], cached: int | None) -> None:
    body = {"choices": [{"message": {"content": "fine"}}], "usage": usage}
    assert read_completion(json.dumps(body)).prompt_cache_tokens == cached
