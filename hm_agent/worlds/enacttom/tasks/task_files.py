"""Reads and writes tasks: one JSON file each."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import ValidationError

from hm_agent.files import write_whole
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task


def parse_task(text: str) -> HouseholdTask:
    """The task that a JSON text holds; raises TaskError with one line for what is wrong with it."""
    try:
        file = TaskFile.model_validate_json(text)
    except ValidationError as error:
        raise TaskError(_first_error(error)) from None
    return check_task(file)


def load_task(path: Path) -> HouseholdTask:
    """The task of a file; errors are TaskError and begin with the file's name."""
    try:
        return parse_task(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path}: can't be read: {error}") from None
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from None


def task_text(file: TaskFile) -> str:
    """The file as JSON, which `parse_task` reads again. Fields that are not set are left out."""
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
    return re.sub(r"\s+", " ", f"{place}: {first['msg']}")
