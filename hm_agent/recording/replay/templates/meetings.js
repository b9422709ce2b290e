// Interactions, or a kitchen's rounds, as a table.

class Meetings {
  constructor(episode) {
    const { facts, meetings } = episode;
    const many = facts.others.length > 1;
    const columns = ["step", many && "with", facts.isMatrix && "own", facts.isMatrix && "inferred", facts.isMatrix && { truth: "really held" }, !facts.isMatrix && "delivered by", "played", "predicted", "", "reward"].filter((name) => name !== false);
    const head = columns.map((name) => make("th", { scope: "col", class: name.truth ? "truth" : name === "reward" ? "amount" : null }, name.truth ?? name));
    this.rows = meetings.map((meeting) => this.row(episode, meeting, many));
    byId("meetings").append(meetings.length
      ? make("div", { class: "scroll" }, make("table", { class: "meetings" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, this.rows.map(({ row }) => row))))
      : make("p", { class: "faint" }, "Nothing of that kind has happened, or this agent took no notice."), this.summary(meetings),
      facts.isMatrix ? make("p", { class: "faint truth" }, "≠ It really held something else than was inferred.") : "");
  }

  row(episode, meeting, many) {
    const inMatrix = episode.facts.isMatrix;
    const counts = (held) => (held ? held.join(" ") : "–");
    const mistaken = inMatrix && meeting.held && meeting.other && String(meeting.held[1]) !== String(meeting.other);
    const verdict = meeting.right === null ? make("span", { class: "faint" }, "–") : make("span", { class: meeting.right ? "right" : "wrong" }, meeting.right ? "✓ right" : "✗ wrong");
    const row = make("tr", { "data-step": meeting.at },
      make("th", { scope: "row" }, stepLink(meeting.at, meeting.at.toLocaleString("en"))),
      many ? make("td", {}, spaced(meeting.partner)) : null,
      inMatrix ? [make("td", { title: episode.nameOf(meeting.own) }, counts(meeting.own)), make("td", { title: meeting.other && episode.nameOf(meeting.other) }, counts(meeting.other)), make("td", { class: `truth ${mistaken ? "mistaken" : ""}` }, counts(meeting.held?.[1]), mistaken ? make("small", { title: "not as inferred" }, "≠") : null)] : null,
      inMatrix ? null : make("td", {}, meeting.by === "you" ? "itself" : meeting.by ?? "nobody"),
      make("td", {}, meeting.behaviour ?? "unclear"), make("td", { title: meeting.believed }, meeting.predicted ?? "–"), make("td", {}, verdict), make("td", { class: meeting.reward < 0 ? "loss" : "gain" }, signed(meeting.reward)));
    return { at: meeting.at, row };
  }

  summary(meetings) {
    const judged = meetings.filter((meeting) => meeting.right !== null);
    return judged.length ? make("p", { class: "faint" }, `Predicted rightly: ${judged.filter((meeting) => meeting.right).length} of ${judged.length}, by the hypothesis that was believed then.`) : null;
  }

  show(index) {
    if (byId("meetings").hidden) return;
    const current = this.rows.findLast(({ at }) => at <= index);
    for (const one of this.rows) one.row.classList.toggle("current", one === current);
  }
}
