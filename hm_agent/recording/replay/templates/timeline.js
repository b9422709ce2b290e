// The slider, with the course of the reward and the marks of what happened above it.

const SHAPES = { interaction: "disc", delivery: "square", respawn: "arrow", validation: "diamond", failure: "cross" };
const ROWS = { interaction: 0, delivery: 0, validation: 1, failure: 1, respawn: 2 };

class Timeline {
  constructor(episode, select) {
    this.episode = episode;
    this.last = episode.steps.length - 1;
    this.slider = byId("slider");
    this.slider.max = this.last;
    this.slider.addEventListener("input", () => select(Number(this.slider.value)));
    byId("number").max = this.last;
    byId("of").textContent = `of ${this.last.toLocaleString("en")}`;
    this.course();
    this.marks();
    byId("course").addEventListener("click", ({ clientX, currentTarget }) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      select(Math.round(((clientX - left) / width) * this.last));
    });
    this.cursor = draw("line", { y1: 0, y2: 40, class: "cursor", "vector-effect": "non-scaling-stroke" });
    byId("course").append(this.cursor);
  }

  course() {
    const totals = this.episode.steps.map((step) => step.total);
    const low = Math.min(0, ...totals);
    const high = Math.max(low + 1, ...totals);
    const y = (total) => 38 - (36 * (total - low)) / (high - low);
    const points = [`0,${y(0)}`];
    totals.forEach((total, i) => {
      if (i === 0 || total !== totals[i - 1] || i === this.last) points.push(`${i},${y(totals[Math.max(0, i - 1)])}`, `${i},${y(total)}`);
    });
    filled(byId("course"), { viewBox: `0 0 ${Math.max(1, this.last)} 40`, preserveAspectRatio: "none" }, [
      draw("line", { x1: 0, x2: this.last, y1: y(0), y2: y(0), class: "zero", "vector-effect": "non-scaling-stroke" }),
      draw("polyline", { points: points.join(" "), class: "gains", "vector-effect": "non-scaling-stroke" }),
    ]);
  }

  marks() {
    byId("marks").append(...this.episode.events.map(({ step, kind, words }) =>
      draw("svg", { x: `${(100 * step) / Math.max(1, this.last)}%`, y: 8 + 12 * ROWS[kind], overflow: "visible", class: `mark ${kind}`, "data-step": step },
        draw("use", { href: `#shape-${SHAPES[kind]}` }), draw("rect", { x: -6, y: -6, width: 12, height: 12, class: "hit" }), draw("title", {}, `step ${step}: ${words}`))));
    byId("marks").setAttribute("role", "img");
  }

  show(index) {
    const said = this.episode.events.filter((event) => event.step === index).map((event) => event.words);
    this.slider.value = index;
    this.slider.setAttribute("aria-valuetext", [`step ${index} of ${this.last}`, ...said].join("; "));
    if (document.activeElement !== byId("number")) byId("number").value = index;
    this.cursor.setAttribute("x1", index);
    this.cursor.setAttribute("x2", index);
  }

  // The step of the event before or after another, that step itself if there is none.
  neighbour(index, direction) {
    const steps = this.episode.events.map((event) => event.step).filter((step) => (step - index) * direction > 0);
    return steps.length ? (direction > 0 ? Math.min(...steps) : Math.max(...steps)) : index;
  }
}
