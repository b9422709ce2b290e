"""Logs rewards, questions and tokens of every episode to anything that has TensorBoard's `add_scalar`."""

import csv
from pathlib import Path

import hm_agent


class CsvWriter:
    """TensorBoard's form; instead: torch.utils.tensorboard.SummaryWriter(folder), or tensorboardX's.

    With Weights & Biases, `run.log({tag: value}, step=step)`; with MLflow, `mlflow.log_metric(tag, value, step=step)`.
    """

    def __init__(self, folder: object) -> None:
        self._file = Path(f"{folder}/scalars.csv").open("w", newline="")  # noqa: SIM115

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        csv.writer(self._file).writerow([step, tag, value])

    def close(self) -> None:
        self._file.close()


class ScalarRecorder(hm_agent.Recorder):
    def __init__(self, episode: hm_agent.Episode) -> None:
        self._writer, self._asked = CsvWriter(episode.folder), 0

    def record(self, step: hm_agent.Step) -> None:
        self._asked += sum(len(decision.exchanges) for decision in step.decisions.values())
        for seat, total in step.totals.items():
            self._writer.add_scalar(f"reward/{seat}", total, step.turn.step)
        self._writer.add_scalar("questions", self._asked, step.turn.step)

    def close(self) -> None:
        self._writer.close()


if __name__ == "__main__":
    hm_agent.play("symmtom_w6_n3_c3", agent="k_filter", recorders=[ScalarRecorder], out="recorded", overwrite=True)
