"""Whether what a task's certificates prove is what the task claims: the proofs that are missing, in words."""

from __future__ import annotations

from collections.abc import Iterator

from hm_agent.worlds.enacttom.tasks.certificate import Certificate, HardCertificate, Status
from hm_agent.worlds.enacttom.tasks.task import TaskFile

PROSE = "what its agents are told of the goal is prose, which no proof reads: everyone counts as knowing it"


def unproved(file: TaskFile) -> tuple[str, ...]:
    """Says why a task does not count as proved, a line each; empty for one that is proved."""
    certificate = file.hard_certificate if file.characters is not None else file.certificate
    if certificate is None:
        return ("it has no certificate",)
    if certificate.task_hash != file.hash:
        return ("its certificate was made for another state of the file",)
    if isinstance(certificate, HardCertificate):
        return tuple(_missing_of_hard(certificate))
    return tuple(dict.fromkeys((*missing_proofs(file, certificate), *(certificate.faults or ()))))


def missing_proofs(file: TaskFile, certificate: Certificate) -> Iterator[str]:
    """Yields a line for each proof in a certificate that is required, and was refuted or not found."""
    yield from failed_proof(certificate.status, "solved", "it has no plan", "no plan was found for it")
    yield from failed_proof(
        certificate.baseline, "solved", "it has no plan with all secrets public", "no baseline was found"
    )
    for agent, status in certificate.without_agent.items():
        refuted = f"{agent} is not needed: there is a plan in which it only waits"
        yield from failed_proof(status, "unsolvable", refuted, f"{agent} may not be needed")
    if file.needs_communication:
        status = certificate.without_communication
        yield from failed_proof(status, "unsolvable", "it can be solved without a message", "it may need no message")
    if certificate.deepest_by_sight is not None:
        depth = f"its K depth {certificate.k_depth}"
        refuted = f"{depth} is inflated: its deepest K can be had by sight"
        yield from failed_proof(certificate.deepest_by_sight, "unsolvable", refuted, f"{depth} may be inflated")
    for agent, status in certificate.private_goals.items() if certificate.status == "solved" else ():
        goal = f"the private goal of {agent}"
        refuted = f"{goal} can't be had with the shared goal"
        yield from failed_proof(status, "solved", refuted, f"{goal} may conflict with the shared goal")


def failed_proof(status: Status, required: Status, refuted: str, unproved: str) -> list[str]:
    """Returns the line for a proof that failed: `refuted`, or `unproved` if the planner gave no answer."""
    if status == required:
        return []
    return [f"{unproved}: the planner stopped without a proof" if status == "unknown" else refuted]


def _missing_of_hard(certificate: HardCertificate) -> Iterator[str]:
    yield from failed_proof(certificate.solvable, "solved", "it has no plan", "no plan was found for it")
    for status, way in ((certificate.silent, "without a message"), (certificate.broadcasters, "by telling everyone")):
        yield from failed_proof(status, "unsolvable", f"it can be solved {way}", f"it may be solved {way}")
