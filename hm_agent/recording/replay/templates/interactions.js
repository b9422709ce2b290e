// The interactions with other players as a table.

class Interactions {
  open(seat) {
    const { interactions } = seat;
    const columns = columnsOf(interactions);
    const head = columns.map(({ title, isTruth, isAmount }) => make("th", { scope: "col", class: isTruth ? "truth" : isAmount ? "amount" : null }, title));
    this.rows = interactions.map((interaction) => ({ from: viewer.meeting(interaction, seat), row: make("tr", { "data-step": viewer.meeting(interaction, seat) }, columns.map(({ cell }) => cell(interaction, seat))) }));
    byId("interactions").replaceChildren(...[
      interactions.length ? viewer.columnsKey() : null,
      interactions.length
        ? make("div", { class: "scroll" }, make("table", { class: "interactions" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, this.rows.map(({ row }) => row))))
        : make("p", { class: "faint" }, "This agent recorded no interactions."),
      accuracy(interactions), interactions.length ? viewer.columnsNote() : null].filter(Boolean));
  }

  show(index) {
    if (byId("interactions").hidden) return;
    const current = this.rows.findLast(({ from }) => from <= index);
    for (const one of this.rows) one.row.classList.toggle("current", one === current);
  }
}

function columnsOf(interactions) {
  const several = new Set(interactions.map(({ partner }) => partner)).size > 1;
  return [
    { title: "step", cell: ({ at }) => make("th", { scope: "row" }, stepLink(at, at.toLocaleString("en"))) },
    several && { title: "with", cell: ({ partner }) => make("td", {}, spaced(partner)) },
    ...viewer.columns,
    { title: "behaviour", cell: ({ behaviour }) => make("td", { class: "behaviour" }, behaviour ?? "unclear") },
    { title: "predicted", cell: ({ predicted, believed }) => make("td", { class: "behaviour", title: believed ?? "no hypothesis was acted on" }, predicted ?? make("span", { class: "faint" }, "–")) },
    { title: "", cell: ({ predicted, right }) => make("td", {}, right === null ? make("span", { class: "faint" }, predicted ? "can’t tell" : "–") : make("span", { class: right ? "right" : "wrong" }, right ? "✓ right" : "✗ wrong")) },
    interactions.some(({ reward }) => reward) && { title: "reward", isAmount: true, cell: ({ reward }) => make("td", { class: reward < 0 ? "loss" : reward > 0 ? "gain" : "amount" }, signed(reward)) },
  ].filter(Boolean);
}

function accuracy(interactions) {
  const judged = interactions.filter(({ right }) => right !== null);
  return judged.length ? make("p", { class: "faint" }, `Right predictions: ${judged.filter(({ right }) => right).length} of ${judged.length}. Counted at each interaction is the prediction of the hypothesis that the agent relied on.`) : null;
}
