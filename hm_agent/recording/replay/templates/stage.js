// The pictures of a step, what the world adds to them, and the reward so far.

class Stage {
  constructor(episode, world) {
    const drawn = world ? null : viewer.size();
    Object.assign(this, { episode, world, drawn });
    this.place = document.querySelector(".stage");
    this.cards = viewer.cards.map((card) => ({ ...card, element: make("div") }));
    byId("reward-card").before(...this.cards.map(({ title, element }) => make("div", { class: "card" }, make("h2", {}, title), element)));
    const size = world ?? drawn;
    document.querySelector(".world").hidden = !size;
    filled(byId("caption"), {}, viewer.caption());
    if (size) byId("over").setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    if (drawn) this.drawAlone();
    new ResizeObserver(() => this.fit()).observe(this.place);
  }

  // view: the film of the seat's own view, null if it has none.
  open(seat, view) {
    Object.assign(this, { seat, view });
    document.querySelector(".view").hidden = !view;
    this.fit();
  }

  // Without a film the overlay is the picture.
  drawAlone() {
    byId("world").hidden = true;
    byId("over").removeAttribute("aria-hidden");
    byId("over").setAttribute("role", "img");
    document.querySelector(".world .picture").classList.add("drawn");
  }

  // Every pixel of a frame becomes a square of whole pixels of the screen: crisp at any zoom, unless this would leave
  // much of a small screen empty.
  fit() {
    const room = this.place.clientWidth;
    if (this.view) this.sized("view", this.view, 180, 180);
    if (!this.world && !this.drawn) return;
    const width = this.world ? this.sized("world", this.world, Math.min(room, 800), Math.max(240, window.innerHeight * 0.52)) : this.scaled(room);
    this.place.classList.toggle("narrow", width + viewer.cardsWidth < room);
  }

  sized(id, film, width, height) {
    const dense = window.devicePixelRatio || 1;
    const room = Math.min((width * dense) / film.width, (height * dense) / film.height);
    const factor = room < 1 ? 1 : room < 2 ? room : Math.floor(room);
    const { style } = byId(id);
    style.width = `${(film.width * factor) / dense}px`;
    style.height = `${(film.height * factor) / dense}px`;
    return (film.width * factor) / dense;
  }

  // A drawing may have any size.
  scaled(room) {
    const { width, height } = this.drawn;
    const factor = Math.min(Math.min(room, 800) / width, Math.max(360, window.innerHeight * 0.6) / height);
    const { style } = byId("over");
    style.width = `${width * factor}px`;
    style.height = `${height * factor}px`;
    return width * factor;
  }

  show(index, step) {
    this.view?.draw(byId("view"), index);
    byId("away").textContent = viewer.away(step) ?? "";
    if (this.world || this.drawn) {
      this.world?.draw(byId("world"), index);
      byId(this.world ? "world" : "over").setAttribute("aria-label", viewer.describe(step, index));
      show(byId("over"), [this.seat.name, viewer.overlay.key(step)], () => viewer.overlay.build(step));
    }
    for (const { element, key, build } of this.cards) show(element, [this.seat.name, key(step, this.seat, index)], () => build(step, this.seat, index));
    show(byId("state"), [this.seat.name, viewer.state.key(step, this.seat)], () => viewer.state.build(step, this.seat));
    byId("reward").textContent = number(this.seat.totals[index]);
    this.showAsked(step);
  }

  // The questions asked so far, with their tokens and cost, out of all of the episode.
  showAsked({ askedSoFar }) {
    const [until, whole] = [this.seat.usage[askedSoFar], this.seat.usage.at(-1)];
    const atLeast = (isPartlyUnknown, words) => (isPartlyUnknown ? `≥ ${words}` : words);
    const tokens = ({ input, output, unknown }) => atLeast(unknown.input || unknown.output, (input + output).toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }));
    const paid = (usage) => atLeast(usage.unknown.paid, dollars(Math.max(0, usage.paid)));
    const told = [
      `${until.questions.toLocaleString("en")} of ${counted(whole.questions, "question")} asked`,
      whole.unknown.input < whole.calls ? `${tokens(until)} of ${tokens(whole)} tokens` : null,
      whole.unknown.cost < whole.calls ? `${paid(until)} of ${paid(whole)} paid` : null,
    ];
    byId("asked").textContent = whole.questions ? told.filter(Boolean).join(" · ") : "";
  }
}
