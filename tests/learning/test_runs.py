"""What runs keep of what they measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.learning.runs import kept_json


@pytest.mark.parametrize(
    ("there", "is_kept"),
    [(None, False), ('{"episodes": 5, "mean": 1}', True), ('{"episodes": 2}', False), ('{"epi', False), ("[]", False)],
)
def test_what_was_measured_as_asked_is_kept_and_else_measured_anew(
    there: str | None, is_kept: bool, tmp_path: Path
) -> None:
    path = tmp_path / "evaluation.json"
    if there is not None:
        path.write_text(there)
    measured = kept_json(path, lambda: {"episodes": 5, "mean": 2}, {"episodes": 5})
    assert measured["mean"] == (1 if is_kept else 2)
    assert kept_json(path, dict, {"episodes": 5}) == measured
