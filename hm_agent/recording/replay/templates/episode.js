// The episode in the page: the steps of each seat, each with its questions, beliefs and all else that holds at it.

const EVERY = 200; // steps between two snapshots of a mapping
const NO_BELIEFS = { hypotheses: [], validated: null, about: null };
const BLANK = { step: null, action: null, reward: 0, state: null, strategy: null, events: [], interactions: [], right: [], questions: [], relied_on: [], asked: [], askedSoFar: 0, shown: {}, beliefs: NO_BELIEFS, newlyValidated: null };

const linesOf = (bytes) => new TextDecoder().decode(bytes).split("\n").filter(Boolean).map((line) => JSON.parse(line));

// The page's own marks on the timeline.
const MARKS = {
  interaction: { name: "interaction", label: "interaction", shape: "disc", row: 0, colour: "--series-0", find: (step) => step.interactions.map(({ partner }) => `interaction with ${spaced(partner)}`) },
  validation: { name: "validation", label: "hypothesis validated", shape: "diamond", row: 1, colour: "--series-4", find: ({ newlyValidated }) => (newlyValidated === null ? [] : [`validated: ${newlyValidated}`]) },
  failure: { name: "failure", label: "no usable answer", shape: "cross", row: 1, colour: "--series-1", find: (step) => step.asked.filter(({ answer }) => answer === null).map(({ kind }) => `${kind}: no usable answer`) },
};

class Episode {
  // trace: the lines of the trace without its header. steps: the replay recorder's, one for each step of the world.
  constructor(seats, trace, steps) {
    Object.assign(this, { trace, steps, last: steps.length - 1, seats: new Map() });
    this.agents = new Map(seats.map(({ name, agent }) => [name, agent]));
    this.names = [...this.agents.keys()];
  }

  seat(name) {
    if (!this.seats.has(name)) this.seats.set(name, new Seat(name, this.agents.get(name), this.trace.filter((line) => line.seat === name), this.steps));
    return this.seats.get(name);
  }
}

// One seat's part in the episode. marked: the marks on the timeline. streams: by other player, the beliefs at each
// step of `viewer.tested`. totals: the reward so far by step of the world. usage: at place n, that of the first n questions.
class Seat {
  constructor(name, agent, trace, steps) {
    Object.assign(this, { name, agent, last: steps.length - 1, threshold: null, steps: [], questions: [], interactions: [], marked: [], streams: new Map(), totals: [], usage: [NO_USAGE] });
    this.patches = new Map(); // by mapping of `shown`: its patches by step of the world
    this.kept = new Map(); // by mapping of `shown`: its snapshots, one every 200 steps
    this.places = new Int32Array(steps.length).fill(-1); // by step of the world: the place of the seat's latest own step
    this.validated = new Map(); // by other player: the validated hypothesis about it as of the latest beliefs, or null
    this.marks = viewer.marks(MARKS);
    let next = 0;
    steps.forEach(({ totals, seats }, index) => {
      this.totals.push(Number(totals[name] ?? this.totals[index - 1] ?? 0));
      while (next < trace.length && trace[next].step < index) next++;
      if (name in seats && trace[next]?.step === index) this.take(trace[next], seats[name]);
      this.places[index] = this.steps.length - 1;
    });
  }

  // The seat's latest step up to a step of the world.
  at(index) {
    return this.steps[this.places[index]] ?? BLANK;
  }

  take(line, { shown = {}, threshold = this.threshold, asked = [] }) {
    const before = this.steps[this.steps.length - 1] ?? null;
    const step = { ...BLANK, ...line, shown: this.shownWith(before, line.step, shown) };
    if ("hypotheses" in line) step.beliefs = { hypotheses: line.hypotheses, validated: line.validated ?? null, about: line.about ?? null };
    else if (before) step.beliefs = before.beliefs;
    step.newlyValidated = this.validatedBy(step.beliefs);
    this.threshold = threshold ?? this.threshold;
    step.asked = step.questions.map((question, place) => this.ask(step, before, question, asked[place]));
    step.askedSoFar = this.questions.length;
    for (const mark of this.marks) for (const words of mark.find(step, before)) this.marked.push({ step: step.step, mark, words });
    step.interactions.forEach((interaction, place) => this.meet(step, interaction, step.relied_on[place] ?? null, step.right[place] ?? null));
    for (const other of viewer.tested(step)) this.test(other, step);
    this.steps.push(step);
  }

  // The hypothesis that these beliefs validate, if those before about the same player did not; else null.
  validatedBy({ validated, about }) {
    const isNew = validated !== null && this.validated.get(about) !== validated;
    this.validated.set(about, validated);
    return isNew ? validated : null;
  }

  // What is shown of a step: the previous values with the changes of its patch. Mappings are kept as patches: see `merged`.
  shownWith(before, index, patch) {
    const shown = { ...before?.shown };
    for (const [name, value] of Object.entries(patch)) {
      if (isMapping(value)) {
        if (!this.patches.has(name)) this.patches.set(name, new Map());
        this.patches.get(name).set(index, value);
      } else if (value === null) delete shown[name];
      else shown[name] = value;
    }
    return shown;
  }

  // A mapping of what is shown, as it was at a step of the world.
  merged(name, index) {
    const patches = this.patches.get(name) ?? new Map();
    if (!this.kept.has(name)) this.kept.set(name, [new Map()]);
    const kept = this.kept.get(name);
    const state = Math.min(Math.floor(index / EVERY), kept.length - 1);
    const mapping = new Map(kept[state]);
    for (let i = state * EVERY; i <= index; i++) {
      if (i && i % EVERY === 0 && kept.length === i / EVERY) kept.push(new Map(mapping));
      for (const [key, value] of Object.entries(patches.get(i) ?? {})) value === null ? mapping.delete(key) : mapping.set(key, value);
    }
    return mapping;
  }

  ask(step, before, question, extra) {
    const calls = question.calls ?? [];
    const asked = {
      place: this.questions.length, step: step.step, kind: question.question, why: viewer.why(question.question, step, before), answer: question.answer, calls,
      seconds: extra?.seconds ?? null, cached: extra?.cached ?? 0, saved: extra?.saved ?? 0, prompt: calls.length ? calls[0].prompt : extra?.prompt ?? "",
    };
    asked.usage = usageOf(asked);
    this.usage.push(added(this.usage[asked.place], asked.usage));
    this.questions.push(asked);
    return asked;
  }

  test(other, { step, beliefs }) {
    if (!this.streams.has(other)) this.streams.set(other, []);
    this.streams.get(other).push({ step, beliefs });
  }

  // An interaction: the hypothesis that was acted on, what it predicted, and whether that came true.
  meet(step, found, acted, right) {
    const interaction = { ...found, at: step.step, believed: acted?.words ?? null, predicted: acted?.prediction ?? null, right };
    this.interactions.push(interaction);
  }
}
