"""What tokens cost, and files of prices that can't be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.config import ConfigError
from hm_agent.models.prices import Price, load_prices
from hm_agent.models.settings import PRESETS

OF_OPENAI = [settings.name for settings in PRESETS.values() if settings.name.startswith("gpt-")]


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", OF_OPENAI)
def test_models_of_the_paper_have_a_price(name: str) -> None:
    assert 0 < load_prices()[name].input < load_prices()[name].output


def test_models_of_the_paper_cost_what_was_asked_for_them() -> None:
    assert OF_OPENAI == ["gpt-4-1106-preview", "gpt-3.5-turbo-1106"]
    assert [load_prices()[name] for name in OF_OPENAI] == [Price(10, 30), Price(1, 2)]


def test_model_that_is_not_listed_has_no_price() -> None:
    assert PRESETS["llama-3"].name not in load_prices()


def test_extra_file_adds_and_wins(tmp_path: Path) -> None:
    extra = written(tmp_path, '["gpt-4.1"]\ninput = 7\noutput = 0\n[own]\ninput = 0.5\noutput = 1.5\n')
    listed, prices = load_prices(), load_prices(extra)
    assert (prices["gpt-4.1"], prices["own"]) == (Price(7, 0), Price(0.5, 1.5))
    assert prices == {**listed, "gpt-4.1": Price(7, 0), "own": Price(0.5, 1.5)}
    assert load_prices() == listed


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
