"""A figure of the report as data, apart from what draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Panel:
    """One picture. name: its own within a report. svg: an element for a page. label: what it shows, in words."""

    name: str
    svg: str
    label: str


@dataclass(frozen=True)
class Picture:
    """A figure: panels under one title. legend: a small picture for each label."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[Panel, ...] = ()
