// The slider, with the course of the reward and the marks of what happened above it.

const ACROSS = 1000; // the width of the drawing of the rewards: browsers blur a drawing that they stretch a lot

class Timeline {
  constructor(episode, select) {
    this.last = episode.last;
    this.slider = byId("slider");
    this.slider.max = this.last;
    this.slider.addEventListener("input", () => select(Number(this.slider.value)));
    byId("number").max = this.last;
    byId("of").textContent = `of ${this.last.toLocaleString("en")}`;
    byId("marks").setAttribute("role", "img");
    byId("course").addEventListener("click", ({ clientX, currentTarget }) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      select(Math.round(((clientX - left) / width) * this.last));
    });
    const reward = draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, draw("path", { d: "M0 9H6V3H12", class: "gains" }));
    byId("legend").append(make("li", {}, reward, "reward so far"), ...viewer.marks(MARKS).map((mark) =>
      make("li", {}, draw("svg", { viewBox: "-6 -6 12 12", class: "mark", style: painted(mark), "aria-hidden": "true" }, shapeOf(mark)), mark.label)));
  }

  open(seat) {
    this.marked = seat.marked;
    this.cursor = draw("line", { y1: 0, y2: 40, class: "cursor", "vector-effect": "non-scaling-stroke" });
    byId("course").replaceChildren(...this.course(seat.totals), this.cursor);
    byId("marks").replaceChildren(...seat.marked.map((marked) => this.mark(marked)));
  }

  // The horizontal position of a step.
  x(step) {
    return (ACROSS * step) / Math.max(1, this.last);
  }

  course(totals) {
    const low = totals.reduce((least, total) => Math.min(least, total), 0);
    const high = totals.reduce((most, total) => Math.max(most, total), low + 1);
    const y = (total) => 38 - (36 * (total - low)) / (high - low);
    const points = [`0,${y(0)}`];
    totals.forEach((total, i) => {
      if (i === 0 || total !== totals[i - 1] || i === this.last) points.push(`${this.x(i)},${y(totals[Math.max(0, i - 1)])}`, `${this.x(i)},${y(total)}`);
    });
    filled(byId("course"), { viewBox: `0 0 ${ACROSS} 40`, preserveAspectRatio: "none" }, []);
    return [
      draw("line", { x1: 0, x2: ACROSS, y1: y(0), y2: y(0), class: "zero", "vector-effect": "non-scaling-stroke" }),
      draw("polyline", { points: points.join(" "), class: "gains", "vector-effect": "non-scaling-stroke" }),
    ];
  }

  mark({ step, mark, words }) {
    return draw("svg", { x: `${(100 * step) / Math.max(1, this.last)}%`, y: 8 + 12 * mark.row, overflow: "visible", class: `mark ${mark.name}`, style: painted(mark), "data-step": step },
      shapeOf(mark), draw("rect", { x: -6, y: -6, width: 12, height: 12, class: "hit" }), draw("title", {}, `step ${step}: ${words}`));
  }

  show(index) {
    const said = this.marked.filter(({ step }) => step === index).map(({ words }) => words);
    this.slider.value = index;
    this.slider.setAttribute("aria-valuetext", [`step ${index} of ${this.last}`, ...said].join("; "));
    if (document.activeElement !== byId("number")) byId("number").value = index;
    this.cursor.setAttribute("x1", this.x(index));
    this.cursor.setAttribute("x2", this.x(index));
  }

  // The step of the mark before or after another step, that step itself if there is none.
  neighbour(index, direction) {
    const found = direction > 0 ? this.marked.find(({ step }) => step > index) : this.marked.findLast(({ step }) => step < index);
    return found?.step ?? index;
  }
}

const painted = ({ colour }) => `color: var(${colour})`;
const shapeOf = ({ shape }) => draw("use", { href: `#shape-${shape}`, class: shape });
