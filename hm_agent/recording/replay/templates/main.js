// Combines the parts: one step of one seat is selected at a time, and all parts show that step.

class Replay {
  constructor(episode, films, world) {
    Object.assign(this, { episode, films, last: episode.last, index: 0, playing: null });
    this.timeline = new Timeline(episode, (step) => this.select(step));
    this.questions = new Questions();
    this.parts = [new Stage(episode, world), this.timeline, new Present(), new Beliefs(), new Interactions(), this.questions, new Costs()];
    this.listen();
  }

  // Shows another seat as soon as its film is unpacked, unless yet another one has been chosen since.
  async look(name) {
    this.wanted = name;
    const view = await this.films.named(name);
    if (this.wanted === name) this.open(name, view);
  }

  open(name, view) {
    this.seat = this.episode.seat(name);
    if (byId("seat")) byId("seat").value = name;
    for (const part of this.parts) part.open(this.seat, view);
    this.select(this.index);
  }

  select(step) {
    this.index = Math.max(0, Math.min(this.last, Math.round(step) || 0));
    for (const part of this.parts) part.show(this.index, this.seat.at(this.index));
    clearTimeout(this.noting); // browsers allow a page's address to change only so often
    this.noting = setTimeout(() => history.replaceState(null, "", this.address()), 200);
  }

  address() {
    return `#step=${this.index}${this.episode.names.length > 1 ? `&seat=${encodeURIComponent(this.seat.name)}` : ""}`;
  }

  // Selects the step and seat that the page's address names.
  follow() {
    const { step, seat } = linked(this.episode.names);
    this.index = step ?? this.index;
    if (seat && seat !== this.seat.name) this.look(seat);
    else this.select(this.index);
  }

  nextSeat() {
    const { names } = this.episode;
    if (names.length === 1) return; // opening the only seat again would reset the tabs
    this.look(names[(names.indexOf(this.wanted ?? this.seat.name) + 1) % names.length]);
  }

  play(on) {
    cancelAnimationFrame(this.playing);
    this.playing = null;
    byId("play").textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (this.index === this.last) this.select(0);
    let due = performance.now();
    const next = (now) => {
      const pause = 1000 / Number(byId("speed").value);
      const steps = Math.floor((now - due) / pause + 0.05);
      if (steps > 0) {
        due = steps > 5 ? now : due + steps * pause;
        this.select(this.index + Math.min(steps, 5));
      }
      if (this.index === this.last) this.play(false);
      else this.playing = requestAnimationFrame(next);
    };
    this.playing = requestAnimationFrame(next);
  }

  turnTo(name, focus = false) {
    for (const tab of viewer.tabs) {
      byId(tab).hidden = tab !== name;
      byId(`tab-${tab}`).setAttribute("aria-selected", tab === name);
      byId(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
    }
    if (focus) byId(`tab-${name}`).focus();
    this.select(this.index);
  }

  listen() {
    const on = (id, kind, act) => byId(id)?.addEventListener(kind, act);
    on("first", "click", () => this.select(0));
    on("before", "click", () => this.select(this.timeline.neighbour(this.index, -1)));
    on("back", "click", () => this.select(this.index - 1));
    on("play", "click", () => this.play(this.playing === null));
    on("forward", "click", () => this.select(this.index + 1));
    on("after", "click", () => this.select(this.timeline.neighbour(this.index, 1)));
    on("number", "change", ({ target }) => {
      this.select(target.value === "" ? this.index : Number(target.value));
      target.value = this.index; // what was typed may lie outside the episode
    });
    on("seat", "change", (event) => this.look(event.target.value));
    on("truth", "change", (event) => document.body.classList.toggle("told", event.target.checked));
    for (const tab of viewer.tabs) on(`tab-${tab}`, "click", () => this.turnTo(tab));
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("click", (event) => this.click(event));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  // Follows links to steps and questions in any part of the page.
  click(event) {
    const target = event.target.closest("[data-step], [data-question]");
    if (!target) return;
    if (target.dataset.question !== undefined) {
      this.turnTo("questions");
      this.questions.reveal(Number(target.dataset.question));
    } else this.select(Number(target.dataset.step));
  }

  press(event) {
    const on = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || on.matches("input[type=search], input[type=number], select")) return;
    if (on.matches("[role=tab]") && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      const place = viewer.tabs.indexOf(on.getAttribute("aria-controls")) + (event.key === "ArrowLeft" ? -1 : 1);
      this.turnTo(viewer.tabs[(place + viewer.tabs.length) % viewer.tabs.length], true);
    } else if (!this.act(event, on)) return;
    event.preventDefault();
  }

  // Carries out the command of a key; false if the key has none.
  act({ key, shiftKey }, on) {
    const stride = shiftKey ? 10 : 1;
    const speed = byId("speed");
    const faster = (by) => (speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by)));
    const keys = {
      ArrowLeft: () => this.select(this.index - stride), ArrowRight: () => this.select(this.index + stride),
      Home: () => this.select(0), End: () => this.select(this.last),
      "[": () => this.select(this.timeline.neighbour(this.index, -1)), "]": () => this.select(this.timeline.neighbour(this.index, 1)),
      "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
      s: () => this.nextSeat(), t: () => byId("truth").click(), "/": () => (this.turnTo("questions"), byId("search").focus()),
      ...Object.fromEntries(viewer.tabs.map((tab, i) => [String(i + 1), () => this.turnTo(tab, true)])),
    };
    if (key === " " && !on.closest("button, summary, input[type=checkbox]")) this.play(this.playing === null);
    else if (keys[key.length === 1 ? key.toLowerCase() : key]) keys[key.length === 1 ? key.toLowerCase() : key]();
    else return false;
    return true;
  }
}

// The step and the seat that the page's address names, e.g. #step=12&seat=player_1; null for what it doesn't name.
function linked(names) {
  const named = new URLSearchParams(location.hash.slice(1));
  const [step, seat] = [named.get("step"), named.get("seat")];
  return { step: /^\d+$/.test(step ?? "") ? Number(step) : null, seat: names.includes(seat) ? seat : null };
}

async function start() {
  const facts = JSON.parse(byId("facts").textContent);
  Object.assign(viewer, { facts: facts.viewer, seats: facts.seats });
  const films = new Films(facts);
  const names = facts.seats.map(({ name }) => name);
  const { step, seat } = linked(names);
  const name = seat ?? names[0];
  const [world, view, trace, steps] = await Promise.all([films.named("world"), films.named(name), unpacked("trace"), unpacked("steps")]);
  const episode = new Episode(facts.seats, linesOf(trace).filter((line) => "step" in line), linesOf(steps));
  byId("notes").append(viewer.notes(facts.settings).map((note) => ` ${note}`).join(""));
  byId("truth").parentElement.hidden = byId("truth-key").hidden = !viewer.hasTruth;
  for (const tab of document.querySelectorAll("[role=tab]")) tab.hidden = !viewer.tabs.includes(tab.getAttribute("aria-controls"));
  byId("last-tab").textContent = viewer.tabs.length;
  byId("main").hidden = false;
  byId("notice").hidden = true;
  window.replay = new Replay(episode, films, world);
  replay.index = step ?? 0;
  replay.open(name, view);
}

function begin() {
  start().catch((error) => {
    byId("notice").hidden = false;
    byId("notice").textContent = `This page could not be unpacked: ${error.message}. It needs a browser of 2023 or later.`;
    throw error;
  });
}
