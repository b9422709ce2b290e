"""Reads and writes tasks: one JSON file each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from hm_agent.storage.files import read_regular, write_whole
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.published_tasks import in_own_form, is_as_published
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task

LONGEST_ERROR = 300


def parse_file(text: str) -> TaskFile:
    """Reads a task in JSON, in this project's form or the authors', unchecked; TaskError has a message of one line."""
    try:
        content = _json(text)
        return TaskFile.model_validate_json(json.dumps(in_own_form(content)) if is_as_published(content) else text)
    except ValidationError as error:
        raise TaskError(_one_line(_first_error(error))) from None
    except TaskError as error:
        raise TaskError(_one_line(str(error))) from None


def _json(text: str) -> object:
    try:
        return from_json(text)
    except ValueError as error:
        raise TaskError(f"no JSON: {error}") from None


def parse_task(text: str) -> HouseholdTask:
    """Reads and checks a task in JSON; raises TaskError with a message of one line."""
    try:
        return check_task(parse_file(text))
    except TaskError as error:
        raise TaskError(_one_line(str(error))) from None


T = TypeVar("T")


def load_task(path: Path) -> HouseholdTask:
    """Reads and checks a task file; every error is a TaskError whose message begins with the path."""
    return _read(path, parse_task)


def load_file(path: Path) -> TaskFile:
    """Reads a task file unchecked; every error is a TaskError whose message begins with the path."""
    return _read(path, parse_file)


def _read(path: Path, parse: Callable[[str], T]) -> T:
    try:
        return parse(read_regular(path).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path}: can't be read: {error}") from None
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from None


def task_text(file: TaskFile) -> str:
    """Writes a task file as JSON that `parse_task` reads back; fields that are None are left out."""
    content = file.model_dump(mode="json", exclude_none=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def save_task(file: TaskFile, folder: Path) -> Path:
    """Writes FOLDER/<task_id>.json and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file.task_id}.json"
    write_whole(path, task_text(file))
    return path


def _first_error(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or "the task"
    if first["type"] == "json_invalid":
        return f"no JSON: {first['msg']}"
    return f"{place}: {first['msg']}"


def _one_line(text: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return line if len(line) <= LONGEST_ERROR else f"{line[: LONGEST_ERROR - 3]}..."
