// Puts the parts together: one step is selected at a time, and everything shows that step.

const TABS = ["present", "beliefs", "meetings", "questions"];

class Replay {
  constructor(episode, world, view) {
    this.episode = episode;
    this.last = episode.steps.length - 1;
    this.index = -1;
    this.playing = null;
    const select = (step) => this.select(step);
    this.timeline = new Timeline(episode, select);
    this.questions = new Questions(episode);
    this.parts = [new Stage(episode, world, view), this.timeline, new Present(episode), new Beliefs(episode), new Meetings(episode), this.questions];
    this.listen();
    this.select(this.linked() ?? 0);
  }

  select(step) {
    this.index = Math.max(0, Math.min(this.last, Math.round(step) || 0));
    for (const part of this.parts) part.show(this.index, this.episode.steps[this.index]);
    clearTimeout(this.noting); // browsers allow a page's address to change only so often
    this.noting = setTimeout(() => history.replaceState(null, "", `#step=${this.index}`), 200);
  }

  linked() {
    const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
    return found ? Number(found[1]) : null;
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
    for (const tab of TABS) {
      byId(tab).hidden = tab !== name;
      byId(`tab-${tab}`).setAttribute("aria-selected", tab === name);
      byId(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
    }
    if (focus) byId(`tab-${name}`).focus();
    this.select(this.index);
  }

  listen() {
    const on = (id, kind, act) => byId(id).addEventListener(kind, act);
    on("first", "click", () => this.select(0));
    on("before", "click", () => this.select(this.timeline.neighbour(this.index, -1)));
    on("back", "click", () => this.select(this.index - 1));
    on("play", "click", () => this.play(this.playing === null));
    on("forward", "click", () => this.select(this.index + 1));
    on("after", "click", () => this.select(this.timeline.neighbour(this.index, 1)));
    on("number", "change", (event) => this.select(Number(event.target.value)));
    on("truth", "change", (event) => document.body.classList.toggle("told", event.target.checked));
    for (const tab of TABS) on(`tab-${tab}`, "click", () => this.turnTo(tab));
    addEventListener("hashchange", () => this.select(this.linked() ?? this.index));
    document.addEventListener("click", (event) => this.follow(event));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  // Links to steps and questions, wherever they stand.
  follow(event) {
    const target = event.target.closest("[data-step], [data-question]");
    if (!target) return;
    if (target.dataset.question !== undefined) {
      this.turnTo("questions");
      this.questions.open(Number(target.dataset.question));
    } else this.select(Number(target.dataset.step));
  }

  press(event) {
    const on = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || on.matches("input[type=search], input[type=number], select")) return;
    if (on.matches("[role=tab]") && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      const place = TABS.indexOf(on.getAttribute("aria-controls")) + (event.key === "ArrowLeft" ? -1 : 1);
      this.turnTo(TABS[(place + TABS.length) % TABS.length], true);
    } else if (!this.act(event, on)) return;
    event.preventDefault();
  }

  // What a key does; false where the browser is to do what it always does.
  act({ key, shiftKey }, on) {
    const stride = shiftKey ? 10 : 1;
    const speed = byId("speed");
    const faster = (by) => (speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by)));
    const keys = {
      ArrowLeft: () => this.select(this.index - stride), ArrowRight: () => this.select(this.index + stride),
      Home: () => this.select(0), End: () => this.select(this.last),
      "[": () => this.select(this.timeline.neighbour(this.index, -1)), "]": () => this.select(this.timeline.neighbour(this.index, 1)),
      "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
      t: () => byId("truth").click(), "/": () => (this.turnTo("questions"), byId("search").focus()),
      ...Object.fromEntries(TABS.map((tab, i) => [String(i + 1), () => this.turnTo(tab, true)])),
    };
    if (key === " " && !on.closest("button, summary, input[type=checkbox]")) this.play(this.playing === null);
    else if (keys[key.length === 1 ? key.toLowerCase() : key]) keys[key.length === 1 ? key.toLowerCase() : key]();
    else return false;
    return true;
  }
}

async function begin() {
  const facts = JSON.parse(byId("facts").textContent);
  const names = ["trace", "scenes", "world-patches", "world-changes", "view-patches", "view-changes"];
  const [trace, scenes, worldPatches, worldChanges, viewPatches, viewChanges] = await Promise.all(names.map(unpacked));
  const episode = new Episode(facts, linesOf(trace), linesOf(scenes));
  const world = new Film(facts.world, facts.tile, worldPatches, worldChanges, byId("world"));
  const view = new Film(facts.view, facts.tile, viewPatches, viewChanges, byId("view"));
  byId("main").hidden = false;
  byId("notice").hidden = true;
  window.replay = new Replay(episode, world, view);
}

begin().catch((error) => {
  byId("notice").textContent = `This page could not be unpacked: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
