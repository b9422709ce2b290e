// A chart of hypotheses for every player about whom some were tested, with their words below.

class Beliefs {
  open(seat) {
    this.charts = [];
    const panel = byId("beliefs");
    panel.replaceChildren();
    for (const [partner, stream] of [...seat.streams].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const lines = linesOfStream(stream);
      if (lines.length) panel.append(this.chart(partner, stream, lines, seat.threshold));
    }
    if (this.charts.length) panel.prepend(make("p", { class: "faint" }, `Value of each hypothesis over the ${viewer.test}s. From the dashed line on, a hypothesis counts as validated (ringed). Click a point to go to its step.`));
    else panel.append(make("p", { class: "faint" }, "This agent had no hypotheses."));
  }

  chart(partner, stream, lines, threshold) {
    const svg = valueChart(stream, lines, threshold);
    const key = make("ul", { class: "key-list" }, lines.map((line) => this.entry(line, svg)));
    this.charts.push({ stream, svg, key, lines });
    return make("figure", { class: "chart" }, make("figcaption", {}, make("h2", {}, `About ${spaced(partner)}`), make("small", {}, counted(stream.length, viewer.test))), svg, key);
  }

  entry(line, svg) {
    const emphasise = (on) => {
      svg.classList.toggle("picking", on);
      for (const group of svg.querySelectorAll(".line")) group.classList.toggle("picked", on && group.dataset.words === line.words);
    };
    return make("li", { style: `--paint: var(--series-${line.place % COLOURS})`, tabindex: 0, "data-words": line.words, onmouseenter: () => emphasise(true), onmouseleave: () => emphasise(false), onfocus: () => emphasise(true), onblur: () => emphasise(false) },
      draw("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, draw("path", { d: "M1 5H25", "stroke-dasharray": DASHES[Math.floor(line.place / COLOURS) % DASHES.length] })), make("b", {}), make("span", {}, line.words));
  }

  show(index) {
    if (byId("beliefs").hidden) return;
    for (const { stream, svg, key } of this.charts) {
      const place = stream.findLastIndex((moment) => moment.step <= index);
      const now = svg.querySelector(".now");
      const x = place < 0 ? LEFT : acrossOf(stream, place);
      now.setAttribute("x1", x);
      now.setAttribute("x2", x);
      const beliefs = place < 0 ? { hypotheses: [], validated: null } : stream[place].beliefs;
      for (const entry of key.children) {
        const held = beliefs.hypotheses.find((one) => one.words === entry.dataset.words);
        entry.querySelector("b").textContent = held ? signed(held.value) : "–";
        entry.classList.toggle("absent", !held);
        entry.classList.toggle("validated", Boolean(held) && beliefs.validated === entry.dataset.words);
      }
    }
  }
}
