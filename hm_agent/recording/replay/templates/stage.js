// The frames of a step, what the agent holds, and where it stands and means to go.

class Stage {
  constructor(episode, world, view) {
    Object.assign(this, { episode, world, view });
    this.place = document.querySelector(".stage");
    new ResizeObserver(() => this.fit()).observe(this.place);
    this.fit();
  }

  // Every pixel of a frame becomes a square of whole pixels of the screen: crisp at any zoom.
  fit() {
    const room = this.place.clientWidth;
    const width = this.sized(this.world, Math.min(room, 800), Math.max(240, window.innerHeight * 0.52));
    this.sized(this.view, 180, 180);
    this.place.classList.toggle("narrow", width + 220 < room);
  }

  sized(film, width, height) {
    const dense = window.devicePixelRatio || 1;
    const factor = Math.max(1, Math.floor(Math.min((width * dense) / film.width, (height * dense) / film.height)));
    const { style } = film.context.canvas;
    style.width = `${(film.width * factor) / dense}px`;
    style.height = `${(film.height * factor) / dense}px`;
    return (film.width * factor) / dense;
  }

  show(index, step) {
    this.world.show(index);
    this.view.show(index);
    this.overlay(step);
    const { facts } = this.episode;
    show(byId("own"), step.inventory ?? null, () => holdings(facts, step.inventory));
    byId("other-card").hidden = !facts.isMatrix;
    show(byId("other"), step.other, () => holdings(facts, step.other));
    byId("reward").textContent = number(step.total);
    byId("world").setAttribute("aria-label", this.told(step));
  }

  overlay(step) {
    const { tile } = this.episode.facts;
    const over = byId("over");
    over.setAttribute("viewBox", `0 0 ${this.world.width} ${this.world.height}`);
    show(over, [step.pose ?? null, step.route], () => {
      if (!step.pose) return [];
      const [x, y] = step.pose;
      const points = [[x, y], ...step.route].map(([px, py]) => `${(px + 0.5) * tile},${(py + 0.5) * tile}`).join(" ");
      const goal = points.split(" ").pop();
      const way = [
        draw("polyline", { points, class: "route halo" }), draw("polyline", { points, class: "route" }),
        draw("polyline", { points: `${goal} ${goal}`, class: "goal halo" }), draw("polyline", { points: `${goal} ${goal}`, class: "goal" }),
      ];
      return [draw("rect", { x: x * tile, y: y * tile, width: tile, height: tile, class: "self" }), step.route.length ? way : null];
    });
  }

  told(step) {
    const where = step.pose ? `at column ${step.pose[0]}, row ${step.pose[1]}, facing ${step.pose[2]}` : step.present ? "not knowing where it is" : "off the map";
    return `The world at step ${step.step}; the agent is ${where}`;
  }
}

// An inventory as blocks and numbers.
function holdings(facts, counts) {
  if (!counts) return make("p", { class: "faint" }, "not known yet");
  return make("dl", { class: "stock" }, facts.holdings.map(({ name, colour }, i) => [
    make("dt", {}, name),
    make("dd", {}, make("span", { class: "blocks", "aria-hidden": "true" }, Array.from({ length: Math.min(counts[i], 12) }, () => make("i", { style: `background:${colour}` }))), String(counts[i])),
  ]));
}
