// The episode as the page knows it: every step with all that holds at it, and what happened in between.

const LASTING = ["scene", "present", "plan", "place", "route", "cast", "aims", "inventories"];
const EVERY = 200; // steps between two remembered states of memory

const linesOf = (bytes) => new TextDecoder().decode(bytes).split("\n").filter(Boolean).map((line) => JSON.parse(line));

class Episode {
  constructor(facts, trace, scenes) {
    this.facts = facts;
    this.steps = [];
    this.questions = [];
    this.meetings = [];
    this.events = [];
    this.streams = new Map(); // by player: what was thought of it after every interaction
    this.memories = [new Map()];
    const count = Math.min(trace.length, scenes.length);
    for (let i = 0; i < count; i++) this.take(trace[i], scenes[i]);
    this.scenes = scenes;
  }

  take(line, scene) {
    const before = this.steps[this.steps.length - 1];
    const step = { ...line, scene: null, present: true, plan: [], place: 0, route: [], failed: scene.failed ?? null, cast: [], aims: [], inventories: [] };
    for (const name of LASTING) step[name] = name in scene ? scene[name] : before ? before[name] : step[name];
    step.total = (before ? before.total : 0) + line.reward;
    step.other = line.other_inventory ?? null;
    step.beliefs = "hypotheses" in line ? { hypotheses: line.hypotheses, validated: line.validated ?? null, about: line.about ?? null } : before ? before.beliefs : { hypotheses: [], validated: null, about: null };
    step.held = scene.held ?? (before && !before.understood ? before.held : null);
    step.asked = (line.questions ?? []).map((question, place) => this.ask(step, question, scene.asked?.[place]));
    this.notice(step, before);
    for (const evidence of line.understood ?? []) this.meet(step, before, evidence);
    this.steps.push(step);
  }

  ask(step, question, extra) {
    const calls = question.calls ?? [];
    const sum = (name) => (calls.length && calls.every((call) => call[name] !== null) ? calls.reduce((total, call) => total + call[name], 0) : null);
    const asked = {
      place: this.questions.length, step: step.step, kind: question.question, answer: question.answer, calls, seconds: extra?.seconds ?? null, cached: extra?.cached ?? false,
      prompt: calls.length ? calls[0].prompt : extra?.prompt ?? "", input: sum("input_tokens"), output: sum("output_tokens"), cost: sum("cost"),
    };
    this.questions.push(asked);
    return asked;
  }

  // What the timeline marks.
  notice(step, before) {
    const mark = (kind, words) => this.events.push({ step: step.step, kind, words });
    for (const event of step.events ?? []) {
      if (event.kind === "InteractionEvent") mark("interaction", event.words);
      if (event.kind === "Delivery") mark("delivery", event.words);
    }
    if (before && !before.present && step.present) mark("respawn", "back on the map");
    const validated = step.beliefs.validated;
    if (validated && (!before || before.beliefs.validated !== validated || before.beliefs.about !== step.beliefs.about)) mark("validation", `validated: ${validated}`);
    if (step.failed) mark("failure", `${step.failed} came to nothing`);
    for (const asked of step.asked) if (asked.answer === null) mark("failure", `${asked.kind} went unanswered`);
  }

  // An interaction, or a kitchen's round: what was expected of it and what it came to.
  meet(step, before, evidence) {
    const stream = this.streams.get(evidence.partner) ?? [];
    this.streams.set(evidence.partner, stream);
    const known = stream.length ? stream[stream.length - 1].beliefs : null;
    const acted = known && (known.hypotheses.find((one) => one.words === known.validated) ?? known.hypotheses[known.hypotheses.length - 1]);
    const meeting = { ...evidence, at: step.step, believed: acted?.words ?? null, predicted: acted?.prediction ?? null, held: step.held };
    meeting.right = meeting.predicted && evidence.behaviour ? meeting.predicted === evidence.behaviour : null;
    this.meetings.push(meeting);
    stream.push({ step: step.step, beliefs: step.beliefs, number: this.meetings.length });
  }

  // What was remembered at a step: by name and cell, when it was last seen.
  memoryAt(index) {
    let state = Math.min(Math.floor(index / EVERY), this.memories.length - 1);
    let memory = new Map(this.memories[state]);
    for (let i = state * EVERY; i <= index; i++) {
      if (i && i % EVERY === 0 && this.memories.length === i / EVERY) this.memories.push(new Map(memory));
      const { seen = [], gone = [] } = this.scenes[i];
      for (const [name, x, y] of gone) memory.delete(`${name} ${x} ${y}`);
      for (const [name, x, y] of seen) memory.set(`${name} ${x} ${y}`, { name, x, y, step: this.steps[i].step });
    }
    return [...memory.values()];
  }

  nameOf(counts) {
    return counts.map((count, i) => `${this.facts.holdings[i].name} ${count}`).join(", ");
  }
}
