"""The list of mutants fits the code and the tests; whether these catch them is for `make mutants` to say."""

from __future__ import annotations

from tests.mutants import listed


def test_every_mutant_of_the_list_can_still_be_put_in_and_its_tests_exist() -> None:
    mutants = listed()
    assert not [problem for mutant in mutants for problem in mutant.problems]
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert all(mutant.find != mutant.put and mutant.tests for mutant in mutants)
