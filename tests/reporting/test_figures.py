"""Figures as files: what two programs that are no browsers make of them, and what they show."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pytest
import resvg_py
from matplotlib.figure import Figure
from PIL import Image

from hm_agent.process.shell import printable
from hm_agent.recording.result import write_result
from hm_agent.reporting.breakdowns import kind_means
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.drawing import COLOURS, FORMATS, MUTED, STYLES, FigureFiles, page_colours
from hm_agent.reporting.figures import effort_picture, efforts_of, hidden_behind, means_picture
from hm_agent.reporting.interaction_figures import adaptation_picture, validation_picture
from hm_agent.reporting.interactions import Curve, StreamGroup
from hm_agent.reporting.pictures import Panel, Picture, keys
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.statistics import Estimate
from hm_agent.reporting.tables import tabulate
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import RWS_2, SELF_PLAY, leave, read, result

Pixels = npt.NDArray[np.int16]
FONTS = str(Path(mpl.get_data_path()) / "fonts" / "ttf")
READERS = {"reader": (1.0, 0.9), "perspective": (0.8, 0.7), "reality": (0.5, 0.6)}


def pixels(png: bytes) -> Pixels:
    """(H, W, 3) on magenta, so that what is transparent shows."""
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    behind = Image.new("RGBA", drawn.size, "magenta")
    return np.asarray(Image.alpha_composite(behind, drawn).convert("RGB"), np.int16)


def by_resvg(svg: bytes) -> Pixels:
    return pixels(resvg_py.svg_to_bytes(svg_string=svg.decode(), font_dirs=[FONTS], dpi=96.0))


def by_cairo(svg: bytes) -> Pixels:
    try:
        import cairosvg
    except OSError as error:
        pytest.skip(f"CairoSVG finds no libcairo (apt-get install libcairo2): {error}")
    drawn: bytes = cairosvg.svg2png(bytestring=svg)
    return pixels(drawn)


PROGRAMS: Mapping[str, Callable[[bytes], Pixels]] = {"resvg": by_resvg, "cairosvg": by_cairo}


def share_of(drawn: Pixels, colour: str, tolerance: int = 12) -> float:
    """The share of pixels that have about a colour, `#rrggbb`."""
    wanted = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)])
    return float((np.abs(drawn - wanted).max(axis=2) <= tolerance).mean())


def coarse(drawn: Pixels) -> Pixels:
    """The picture in 60 columns: programs set letters a little differently, and at other sizes."""
    width, height = drawn.shape[1], drawn.shape[0]
    size = 60, round(60 * height / width)
    return np.asarray(Image.fromarray(drawn.astype(np.uint8)).resize(size, Image.Resampling.BOX), np.int16)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Picture]:
    """Figures of every kind, of a few made-up results of two worlds, by name."""
    out = tmp_path_factory.mktemp("played")
    usage = {"model_calls": 9, "input_tokens": 100, "output_tokens": 10}
    agents = ("hypothetical_minds", "vmp", "react", "oracle", "random")
    leave(
        out, *(result(agent, 5 * place + seed, seed, **usage) for place, agent in enumerate(agents) for seed in (1, 2))
    )
    leave_readers(out)
    report = Report(read_runs((out,)), out)
    around = validation_of([row.condition for row in report.rows if row.scenario.world == "melting_pot"][:2])
    return {picture.name: picture for picture in (*report.pictures, around)}


def test_marks_of_effort_at_the_same_place_are_rings_of_different_sizes() -> None:
    """Two agents ask and earn the same, a third asks as much and earns less."""
    usage = {"model_calls": 9, "input_tokens": 100, "output_tokens": 10}
    earned = {"hypothetical_minds": 5.0, "vmp": 5.0, "react": 2.0}
    rows = tabulate([result(agent, reward, 1, **usage) for agent, reward in earned.items()])
    efforts, _ = efforts_of(rows)
    assert hidden_behind(efforts, "model calls an episode") == [0, 0, 1]  # vmp comes last
    conditions = [row.condition for row in rows]
    picture = effort_picture(rows, {one: one.agent for one in conditions}, keys(conditions))
    assert picture is not None
    assert "A ring around a mark is the mark of another agent" in picture.caption
    drawn, colours = by_resvg(picture.panels[0].drawing().file), page_colours()
    assert all(share_of(drawn, colours[entry.key.colour]) > 0 for entry in picture.legend)


def test_an_agent_that_asks_nothing_has_a_mark_of_effort_too() -> None:
    asked = {"vmp": {"model_calls": 9, "questions": 9}, "react": {"model_calls": 0, "questions": 0}}
    rows = tabulate([result(agent, 5.0, 1, **usage) for agent, usage in asked.items()])
    conditions = [row.condition for row in rows]
    picture = effort_picture(rows, {one: one.agent for one in conditions}, keys(conditions))
    assert picture is not None
    drawn, colours = by_resvg(picture.panels[0].drawing().file), page_colours()
    assert all(share_of(drawn, colours[entry.key.colour]) > 0 for entry in picture.legend)


def test_a_mark_at_the_end_of_the_bar_is_as_large_as_any() -> None:
    sizes = []
    for reward in (5.0, 0.0):
        earned = {"hypothetical_minds": reward, "random": 0.0, "oracle": 10.0}
        rows = tabulate([result(agent, value) for agent, value in earned.items()])
        conditions = [row.condition for row in rows]
        picture = means_picture(rows, {one: one.agent for one in conditions}, keys(conditions))
        assert picture is not None
        colour = page_colours()[picture.legend[0].key.colour]
        sizes.append(share_of(by_resvg(picture.panels[0].drawing().file), colour))
    assert sizes == pytest.approx([sizes[0]] * 2, rel=0.2)


def test_the_longest_unit_fits_beside_a_panel_of_effort() -> None:
    pairs = {"scenario": "rws_pairs_order_1_even", "metrics": {"both_boards": 0.5}, "model_calls": 9}
    rows = tabulate([result(agent, 0.5, 1, **pairs) for agent in ("vmp", "react")])
    conditions = [row.condition for row in rows]
    picture = effort_picture(rows, {one: one.agent for one in conditions}, keys(conditions))
    assert picture is not None
    panel = picture.panels[0]
    figure = Figure(figsize=(panel.width / 96, panel.height / 96), layout="constrained")
    panel.paint(axes := figure.add_subplot())
    figure.draw_without_rendering()
    assert len(axes.get_ylabel()) > 50
    assert axes.yaxis.label.get_window_extent().height <= figure.bbox.height


def test_marks_of_effort_over_different_scenarios_are_said_to_be_so() -> None:
    usage = {"model_calls": 9, "input_tokens": 100, "output_tokens": 10}
    of_both = [result(agent, 5.0, 1, **usage) for agent in ("vmp", "react")]
    further = result("vmp", 9.0, 1, scenario=RWS_2, **usage)
    captions = []
    for found in (of_both, [*of_both, further]):
        rows = tabulate(found)
        conditions = list(dict.fromkeys(row.condition for row in rows))
        picture = effort_picture(rows, {one: one.agent for one in conditions}, keys(conditions))
        assert picture is not None
        captions.append("means over other scenarios" in picture.caption)
    assert captions == [False, True]


def curve_of(condition: Condition, points: Mapping[int, Estimate]) -> Curve:
    is_reference = condition.agent == "oracle"
    return Curve(StreamGroup("a world", "Running With Scissors", condition, is_reference, "oracle", (), ()), points)


def validation_of(conditions: Sequence[Condition]) -> Picture:
    """The figure of rewards around validation with a rising curve of each condition."""
    points = {offset: Estimate((offset, offset + 1.0, offset + 2.0)) for offset in range(-2, 4)}
    drawn = [curve_of(condition, points) for condition in conditions]
    picture = validation_picture(drawn, {one: one.agent for one in conditions}, keys(conditions))
    assert picture is not None
    return picture


def leave_readers(out: Path) -> None:
    shares = [(agent, seed, share) for agent, shares in READERS.items() for seed, share in enumerate(shares)]
    leave(out, *(read(agent, share, seed, kinds=_kinds(share)) for agent, seed, share in shares))


def _kinds(share: float) -> dict[str, float]:
    orders = {"accuracy_order_0": 1.0, "accuracy_order_1": share, "accuracy_order_2": share**2}
    return orders | {"accuracy_interesting": share, "accuracy_uninteresting": 1.0}


def test_curves_around_validation_have_colours_of_their_own_also_where_the_palette_is_used_up() -> None:
    conditions = [Condition(f"agent {number}", "builtin") for number in range(len(COLOURS) + 1)]
    first, last = conditions[0], conditions[-1]
    drawn_as = keys(conditions)
    assert drawn_as[first].colour == drawn_as[last].colour
    points = {offset: Estimate((0.0, 1.0)) for offset in range(-1, 2)}
    labels = {one: one.agent for one in conditions}

    def colours(shown: Sequence[Condition]) -> list[str]:
        picture = validation_picture([curve_of(one, points) for one in shown], labels, drawn_as)
        assert picture is not None
        return [entry.key.colour for entry in picture.legend]

    assert len(set(colours((first, last)))) == 2
    assert colours(conditions[1:3]) == [drawn_as[one].colour for one in conditions[1:3]]


def test_references_are_grey_beside_curves_of_adaptation_and_make_no_figure_alone() -> None:
    agent, oracle = Condition("hypothetical_minds", "builtin"), Condition("oracle", "builtin")
    points = {number: Estimate((float(number),)) for number in range(1, 9)}

    labels = {one: one.agent for one in (agent, oracle)}
    picture = adaptation_picture([curve_of(agent, points), curve_of(oracle, points)], labels, keys([agent]))
    assert picture is not None
    assert [entry.label for entry in picture.legend] == ["hypothetical_minds", "oracle"]
    assert picture.legend[0].key.colour in COLOURS
    assert picture.legend[1].key.colour == MUTED
    assert adaptation_picture([curve_of(oracle, points)], labels, keys([])) is None


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["means", "orders"])
def test_other_programs_show_the_colours_and_letters(pictures: Mapping[str, Picture], name: str, style: str) -> None:
    picture = pictures[name]
    file = picture.file(picture.panels[-1], FigureFiles("svg", style))
    for program in PROGRAMS.values():
        check_colours(program(file), picture)


def check_colours(drawn: Pixels, picture: Picture) -> None:
    """Fails unless a panel of a picture is on white, with all colours of its legend and of letters."""
    colours = page_colours()
    assert share_of(drawn, "#ff00ff") == 0
    assert share_of(drawn, "#ffffff") > 0.6
    assert share_of(drawn, "#000000") < 0.01
    for entry in picture.legend:
        assert share_of(drawn, colours[entry.key.colour]) > 0.0002, entry.label
    assert share_of(drawn, colours["page ink"], tolerance=60) > 0.0005
    assert share_of(drawn, colours["page muted"], tolerance=60) > 0.0005


def test_other_programs_draw_what_matplotlib_draws(pictures: Mapping[str, Picture]) -> None:
    panel, legend = pictures["means"].panels[0], pictures["means"].legend
    svg, own = (panel.file(FigureFiles(kind), legend) for kind in ("svg", "png"))
    for name, program in PROGRAMS.items():
        difference = np.abs(coarse(program(svg)) - coarse(pixels(own)))
        assert difference.mean() < 4, name
        assert difference.max() < 120, name


def test_vast_names_are_cut_in_pictures_and_whole_in_tables(tmp_path: Path) -> None:
    """Forged results may have them; Matplotlib would take seconds for each, and warn that nothing else finds room."""
    name = "x" * 5_000
    forged = result(name), result("react", scenario=name), result("react", model=name)
    for place, one in enumerate(forged):
        (folder := tmp_path / f"scenario/agent/model/episode-{place}").mkdir(parents=True)
        write_result(one, folder)
    report = Report(read_runs((tmp_path,)), tmp_path)
    assert {name} < {text for row in report.rows for text in (row.condition.agent, row.condition.model)}
    for picture in report.pictures:
        for panel in picture.panels:
            text = picture.file(panel, FigureFiles()).decode()
            assert max(map(len, re.findall(r"<text[^>]*>([^<]+)</text>", text))) <= 200


@pytest.mark.parametrize("name", ["means", "ablations", "validation", "orders", "interest"])
def test_a_file_has_plain_colours_letters_as_text_and_its_legend(pictures: Mapping[str, Picture], name: str) -> None:
    picture = pictures[name]
    assert len(picture.legend) >= 2
    for panel in picture.panels:
        text = picture.file(panel, FigureFiles()).decode()
        assert not re.findall(r"var\(|currentColor|prefers-color-scheme", text)
        written = re.findall(r"<text[^>]*>([^<]+)</text>", text)
        assert {entry.label for entry in picture.legend} <= set(written)


def test_in_a_page_the_colours_are_the_pages(pictures: Mapping[str, Picture]) -> None:
    for picture in pictures.values():
        elements = [picture.element(panel) for panel in picture.panels]
        assert not [text for text in elements if "legend_" in text]
        for svg in (*elements, *(entry.svg for entry in picture.legend)):
            assert "var(--" in svg
            assert re.findall(r"(?:fill|stroke): #", svg) == []


@pytest.mark.parametrize("kind", FORMATS)
def test_files_of_each_kind_are_the_same_for_the_same_data(pictures: Mapping[str, Picture], kind: str) -> None:
    panel = pictures["orders"].panels[0]
    draw = partial(panel.file, FigureFiles(kind, "column"), pictures["orders"].legend)
    drawn = draw()
    assert drawn == draw()
    assert drawn.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])


def test_a_column_is_as_wide_as_a_papers(pictures: Mapping[str, Picture]) -> None:
    text = pictures["means"].panels[0].file(FigureFiles("svg", "column")).decode()
    assert 'width="240pt"' in text
    assert {float(size) for size in re.findall(r"font-size: ([\d.]+)px", text)} == {8, 9}


def test_the_figures_that_are_asked_for_lie_beside_those_of_the_page(tmp_path: Path) -> None:
    leave(tmp_path, *(result(seed=seed, reward=seed) for seed in (1, 2)))
    write_report(read_runs((tmp_path,)), tmp_path, FigureFiles("pdf", "column"))
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["means-0.pdf", "means-0.svg"]


def test_a_pipe_in_place_of_a_figure_is_replaced(tmp_path: Path) -> None:
    leave(tmp_path, result())
    (tmp_path / "figures").mkdir()
    os.mkfifo(tmp_path / "figures" / "means-0.svg")
    write_report(read_runs((tmp_path,)), tmp_path)
    assert (tmp_path / "figures" / "means-0.svg").is_file()


@pytest.mark.parametrize("model", ["模型", "a\x01b\x1b[31m"])
def test_a_name_that_no_font_has_is_drawn_without_a_word_in_files_that_can_be_read(tmp_path: Path, model: str) -> None:
    agents = {"react": model, "hypothetical_minds": "builtin"}
    leave(tmp_path, *(result(agent, place, model=name) for place, (agent, name) in enumerate(agents.items())))
    write_report(read_runs((tmp_path,)), tmp_path, FigureFiles("png"))  # a warning would be an error here
    texts = "".join(ET.parse(tmp_path / "figures" / "means-0.svg").getroot().itertext())
    assert f"react ({printable(model)})" in texts


# A share by kind


def test_kinds_are_averaged_over_episodes_and_references_are_among_them(tmp_path: Path) -> None:
    leave_readers(tmp_path)
    means = {(one.condition.agent, one.kind): one.estimate.mean for one in kind_means(read_runs((tmp_path,)).results)}
    assert means["reader", "order 1"] == pytest.approx(0.95)
    assert means["reality", "order 2"] == pytest.approx((0.25 + 0.36) / 2)
    assert ("reader", "false belief") not in means
    (picture,) = (one for one in Report(read_runs((tmp_path,)), tmp_path).pictures if one.name == "orders")
    assert [entry.label for entry in picture.legend] == ["reader", "perspective", "reality"]
    assert [entry.key.colour == "page muted" for entry in picture.legend] == [False, False, True]


def test_grey_marks_are_told_of_where_there_are_any(tmp_path: Path) -> None:
    leave(tmp_path, read("reader", 0.5, kinds=_kinds(0.5)))
    (orders,) = (one for one in Report(read_runs((tmp_path,)), tmp_path).pictures if one.name == "orders")
    assert "Grey" not in orders.caption
    leave(tmp_path, read("reality", 0.5, kinds=_kinds(0.5)))
    (orders,) = (one for one in Report(read_runs((tmp_path,)), tmp_path).pictures if one.name == "orders")
    assert "Grey: readers without a model, each with one blind spot." in orders.caption


@pytest.mark.parametrize("style", STYLES)
def test_the_label_of_an_axis_stays_within_the_figure(tmp_path: Path, style: str) -> None:
    """Also where names of scenarios leave it little room."""
    known: dict[str, Any] = {"world": "enacttom", "scenario": "enacttom_mixed_k2_000", "settings": {}, "background": ()}
    leave(tmp_path, result("solo", 1.0, **known, metrics={"functional_success": 1.0}))
    (means,) = (one for one in Report(read_runs((tmp_path,)), tmp_path).pictures if one.name == "means")
    drawn = pixels(means.panels[0].file(FigureFiles("png", style)))
    assert len(np.unique(drawn[:, [0, 1, -2, -1]])) == 1


def test_an_axis_of_nothing_but_zeros_has_plain_numbers(tmp_path: Path) -> None:
    noise = {"normalised_reward": -2.7e-16}
    leave(tmp_path, *(result(agent, -5.6e-17, scenario=SELF_PLAY, metrics=noise) for agent in ("react", "mmp")))
    (means,) = (one for one in Report(read_runs((tmp_path,)), tmp_path).pictures if one.name == "means")
    drawn = means.file(means.panels[0], FigureFiles("svg", "screen")).decode()
    ticks = re.findall(r">([−-]?[0-9.]+)<", drawn)
    assert [ticks[0], ticks[-1]] == ["−1.00", "1.00"]


def test_a_panel_is_drawn_for_each_group_once_whatever_the_order_of_scenarios(tmp_path: Path) -> None:
    names = ("exploretom_a1", "exploretom_a1_asymmetric", "exploretom_a2", "exploretom_a2_asymmetric")
    leave(tmp_path, *(read("reader", 0.5, seed, name, _kinds(0.5)) for name in names for seed in (1, 2)))
    report = Report(read_runs((tmp_path,)), tmp_path)
    for picture in report.pictures:
        assert len(picture.panels) == 2
    (rows,) = report.rows_by_unit.values()
    assert [group for group, _ in report.by_scenario(rows)] == [
        "ExploreToM",
        "ExploreToM, with peeking and distraction",
    ]


def test_a_panel_is_drawn_once_and_when_it_is_asked_for(pictures: Mapping[str, Picture]) -> None:
    calls: list[object] = []
    panel = Panel("name", "label", 100, calls.append)
    picture = Picture("name", "title", "", (panel,))
    assert not calls
    assert picture.element(panel)
    assert picture.file(panel, FigureFiles())
    assert len(calls) == 1
