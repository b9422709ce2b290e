// The replay of a household: the plan after a step, what the seat remembers beside it, messages, goals, and what was
// planned beside what was done. Names and texts of tasks are shown as they are.

const MARK = { done: "✓", failed: "✗", conflict: "✗" };
const agentChip = (name) => chip(viewer.facts, name);
const paintAs = (name) => `--paint: ${paintOf(viewer.facts.agents[numberIn(viewer.facts, name)]?.colour ?? "muted")}`;
const otherState = (state) => (state === "open" ? "opened" : "closed");

// The commands of a turn and how they went, as a sentence for the picture.
function describe({ shown: { acts = [] } }, index) {
  return `The floor plan after step ${index}; ${acts.map(([agent, command, how]) => `${agent}: ${command}${how === "done" ? "" : ` (${how})`}`).join("; ")}`;
}

const handleWords = ([agent, [[furniture, state], ...others]]) => [`${agent} ${otherState(state)} ${furniture}`, ...others.map(([other, then]) => `this ${otherState(then)} ${other}`)].join("; ");

// When a goal last came true or stopped holding, up to a step of the seat; null if it never held.
function turnedAt(seat, step, place) {
  let at = null, before = null;
  for (const one of seat.steps) {
    if (one.step > step.step) break;
    const met = one.shown.met?.[place] ?? false;
    if (before !== null ? met !== before : met) at = { step: one.step, met };
    before = met;
  }
  return at;
}

const goals = {
  title: "Goals after this step",
  key: (step) => step.step,
  build(step, seat) {
    const { met } = step.shown;
    if (!met) return [];
    const since = (place) => {
      const at = turnedAt(seat, step, place);
      return at ? [at.met ? "since " : "no longer since ", stepLink(at.step)] : null;
    };
    return [make("p", { class: "faint" }, `${met.filter(Boolean).length} of ${met.length} hold.`), goalList(viewer.facts, met, since)];
  },
};

const acted = {
  key: ({ shown }) => [shown.acts, shown.handles],
  build({ shown: { acts = [], handles = [] } }) {
    if (!acts.length) return [];
    return [make("h2", {}, "What the agents do"), make("ul", { class: "acts" }, acts.map(([agent, command, how, words]) => {
      const handle = handles.find(([by]) => by === agent);
      return make("li", {}, agentChip(agent), make("span", {}, commandOf(command), " ", make("span", { class: how === "done" ? null : "not-done", role: "img", "aria-label": how }, MARK[how]), how === "done" ? null : make("small", {}, words), handle?.[1].length > 1 ? make("small", {}, handleWords(handle)) : null));
    }))];
  },
};

const messageOf = ({ from, to, text, taught }) => make("div", { class: "said-by", style: paintAs(from) }, make("p", {}, agentChip(from), " to ", chips(viewer.facts, to)), make("p", { class: "text" }, `“${text}”`),
  taught?.length ? make("ul", {}, taught.map(([who, words]) => make("li", {}, agentChip(who), ` comes to know that ${words.join("; that ")}`))) : null);

const messages = {
  key: (step) => step.step,
  build({ shown: { sent = [], received = [], left, probes: asked = [] } }, seat) {
    if (left === undefined || asked.length) return [];
    return [make("h2", {}, "Messages on their way, read at the next step"), sent.length ? sent.map(messageOf) : make("p", { class: "faint" }, "none"),
      received.length ? [make("h2", {}, `What ${seat.name} had read before it acted`), received.map(messageOf)] : null,
      make("p", { class: "faint" }, `${seat.name} has ${left} of ${counted(viewer.facts.budgets[seat.name], "message")} left.`)];
  },
};

const memory = {
  key: (step) => step.step,
  build({ shown: { memory: remembered, wrong, mistakes = [], knows = [], learned = [] } }, seat) {
    if (!remembered) return [];
    return [make("h2", {}, `What ${seat.name} remembers after this step`),
      planOf(viewer.facts, `What ${seat.name} remembers`, remembered[0], { agent: seat.name, strokes: wrong[0], isMemory: true }),
      make("div", { class: "truth" }, make("h2", {}, "Remembered, and no longer so"), mistakes.length ? make("ul", { class: "mistakes" }, mistakes.map(([words, so]) => make("li", {}, make("s", {}, words), so ? `: ${so}` : ""))) : make("p", { class: "faint" }, "nothing")),
      make("h2", {}, "What it knows of goals, and of what others know"),
      knows.length ? make("ul", {}, knows.map((words) => make("li", {}, words, learned.includes(words) ? make("small", {}, " (new)") : null))) : make("p", { class: "faint" }, "nothing that is kept track of")];
  },
};

// The literal probes, which are asked in the last step of an episode. A seat that is asked nothing has no part in that
// step, so they are taken from a seat that has.
function probesAt(index) {
  const { seats } = window.replay.episode.steps[index];
  return Object.values(seats).map(({ shown }) => shown?.probes).find((asked) => asked?.length) ?? [];
}

const probes = {
  key: (step, seat, index) => index,
  build(step, seat, index) {
    const asked = probesAt(index);
    if (!asked.length) return [];
    const right = asked.filter((one) => one.right).length;
    return [make("h2", {}, `Literal probes at the end: ${right} of ${asked.length} answered rightly`), make("ul", { class: "goals probes" }, asked.map(({ agent, question, depth, answer, is_so, right: isRight, foil, paired }) => make("li", { class: isRight ? "met" : "failed" },
      make("b", { role: "img", "aria-label": isRight ? "right" : "wrong" }, isRight ? "✓" : "✗"),
      make("span", {}, agentChip(agent), " is asked: ", question, " ", answer === null ? make("em", {}, "Silence") : make("strong", {}, answer), ".", make("small", {}, `K depth ${depth}${foil ? ", a foil" : ""}${paired ? ", one of a pair" : ""} · it is ${is_so ? "so" : "not so"}`)))))];
  },
};

// The commands that were carried out, each above the command of the certified plan for that turn.
const planned = {
  title: "What was done, and the certified plan",
  key: (step, seat, index) => index,
  build(step, seat, index) {
    const { plan } = viewer.facts;
    const done = seat.steps.filter(({ shown }) => shown.acts?.length).map(({ shown }) => new Map(shown.acts.map(([agent, command, how]) => [agent, { command, how }])));
    const cell = (turn, agent) => {
      const [was, wanted] = [done[turn]?.get(agent), plan?.[turn]?.[agent] ?? null];
      const same = was && wanted && was.command === wanted && was.how === "done";
      return [was ? [commandOf(was.command), " ", make("span", { class: was.how === "done" ? null : "not-done", role: "img", "aria-label": was.how }, was.how === "done" ? "" : MARK[was.how])] : null,
        wanted === null ? null : make("span", { class: same ? "planned as-planned" : "planned" }, same ? "as planned" : ["plan: ", commandOf(wanted)])];
    };
    const table = turnTable(viewer.facts, Math.max(done.length, plan?.length ?? 0), cell, { name: "step", current: index, heads: (turn) => (turn < done.length ? stepLink(turn, String(turn)) : String(turn)) });
    requestAnimationFrame(() => reveal(table, table.querySelector(".current")));
    return [plan ? null : make("p", { class: "faint" }, "No plan is kept with this task."), table];
  },
};

// What everyone and the seat were told; what the others were told is part of the truth.
const briefing = {
  key: () => null,
  build(step, seat) {
    const { text, secrets } = viewer.facts;
    const told = (agent) => (secrets[agent].length ? make("ul", {}, secrets[agent].map((secret) => make("li", {}, secret))) : make("p", { class: "faint" }, "nothing"));
    const others = viewer.facts.agents.filter(({ name }) => name !== seat.name);
    return [make("h2", {}, "Everyone is told"), make("p", {}, text), make("h2", {}, `Only ${seat.name} is told`), told(seat.name), make("div", { class: "truth" }, others.map(({ name }) => [make("h2", {}, `Only ${name} is told`), told(name)]))];
  },
};

// The present plan of an agent that thinks in language.
const ownPlan = {
  key: ({ shown, state }) => [shown.plan, state?.done, state?.asked_because],
  build({ shown: { plan }, state }) {
    if (!plan) return [];
    return [make("h2", {}, "Its plan"), state.asked_because ? make("p", { class: "faint" }, `asked for because ${state.asked_because}`) : null,
      plan.length ? make("ol", { class: "own-plan" }, plan.map((command, i) => make("li", { class: i < state.done ? "is-done" : null, "aria-current": i === state.done ? "step" : null }, commandOf(command)))) : make("p", { class: "faint" }, "none")];
  },
};

const { why } = viewer;

const unless = (isEmpty, section) => ({ ...section, build: (step, ...rest) => (isEmpty(step) ? [] : section.build(step, ...rest)) });

const spoke = { name: "spoke", label: "sends a message", shape: "disc", row: 0, colour: "--series-0", find: ({ shown: { sent = [] } }, before, seat) => sent.map(({ from, to }) => `${from} writes to ${to.join(", ")}`) };
const fired = { name: "fired", label: "a handle did more", shape: "square", row: 0, colour: "--series-4", find: ({ shown: { handles = [] } }) => handles.filter(([, set]) => set.length > 1).map(handleWords) };
const missed = { name: "missed", label: "an action failed", shape: "square", row: 1, colour: "--series-1", find: ({ shown: { acts = [] } }) => acts.filter(([, , how]) => how !== "done").map(([agent, command]) => `${agent}: ${command}`) };
const answered = { name: "answered", label: "probes are answered", shape: "arrow", row: 0, colour: "--series-3", find: ({ shown: { probes: asked = [] } }) => (asked.length ? [`${asked.filter(({ right }) => right).length} of ${counted(asked.length, "probe")} answered rightly`] : []) };
const reached = { name: "reached", label: "a goal came true", shape: "diamond", row: 1, colour: "--series-2", find: ({ shown: { met = [] } }, before) => viewer.facts.goals.filter((goal, i) => met[i] && !before?.shown.met?.[i]).map(({ words }) => words) };

Object.assign(viewer, {
  hasTruth: true,
  describe,
  state: {
    key: (step) => [step.step, step.shown.so],
    build(step) {
      const { so, acts } = step.shown;
      if (!so) return [];
      const me = step.seat;
      return [make("figure", { class: "house" }, make("p", { class: "agents" }, viewer.facts.agents.map(({ name }) => agentChip(name))), planOf(viewer.facts, describe(step, step.step), so[0], { agent: me }),
        make("figcaption", {}, "The household after the step, for the viewer only. Ringed: the seat; hatched: rooms it cannot enter. Arrows with a letter: messages, thick if they taught something. Glowing: what a handle set elsewhere. Framed: what lies within."))];
    },
  },
  cards: [goals, planned],
  action: (action) => (typeof action === "string" ? action : Object.entries(action).map(([probe, answer]) => `${probe}: ${answer ?? "silence"}`).join(", ")),
  eventsFrom: ({ step }) => step - 1,
  sections: ({ strategy, happened, thoughts }) => [probes, acted, messages, memory, unless(({ strategy: held }) => !held, strategy), ownPlan, unless(({ events, asked }) => !events.length && !asked.length, happened), thoughts, briefing],
  columns: [{ title: "act", cell: ({ does, things, text }) => make("td", {}, `${does} ${(things ?? []).join(", ")}`, text ? make("small", { class: "letter" }, `“${text}”`) : null) }],
  why: (kind, step, before) => why(kind, step, before) ?? (step.state?.asked_because ? `because ${step.state.asked_because}` : null),
  marks: ({ validation, failure }) => [spoke, fired, missed, reached, answered, validation, failure],
});
