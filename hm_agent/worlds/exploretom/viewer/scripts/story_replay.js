// The replay of a story: a step is a question.

let story = null, list = null;

const questionOf = (step) => step.shown.question?.[0] ?? null;

function storyState(step) {
  const asked = questionOf(step);
  if (!asked) return [make("p", { class: "faint" }, "No question was answered yet.")];
  story ??= new ToldStory(step.shown.story[0]);
  story.ask(asked.spot);
  markAsked(step);
  const verdict = make("p", { class: asked.right ? "verdict right" : "verdict wrong" }, asked.right ? "✓ The reader was right." : `✗ The reader was wrong: it answered ${asked.given ? `“${asked.given}”` : "nothing"}; right is “${asked.answer}”.`);
  return [make("h2", {}, "The question"), questionCard(asked, [{ given: asked.given, right: asked.right }]), verdict, story.element];
}

const tale = {
  key: (step) => Boolean(questionOf(step)),
  build: (step) => (questionOf(step) ? [make("h2", {}, "The story"), story.tale] : []),
};

// All questions with what was answered; those that were answered wrongly are marked. The list stays while the step
// changes, so that it keeps its place and the focus.
const questionsList = {
  key: () => null,
  build(step, seat) {
    const asked = seat.steps.map((one) => [one.step, questionOf(one)]).filter(([, question]) => question);
    const wrong = asked.filter(([, { right }]) => !right).length;
    const item = ([at, question]) => make("li", { class: question.right ? "" : "is-wrong" },
      make("span", { role: "img", "aria-label": question.right ? "right" : "wrong" }, question.right ? "✓" : "✗"), stepLink(at, question.text), make("small", {}, question.right ? question.answer : `${question.given || "no answer"}; right: ${question.answer}`));
    list = make("ul", { class: "asked-list" }, asked.map(item));
    markAsked(step);
    requestAnimationFrame(() => reveal(list, list.querySelector("[aria-current=step]")));
    return [make("h2", {}, `${counted(asked.length, "question")}, ${wrong ? `${wrong} answered wrongly` : "all answered rightly"}`), list];
  },
};

// Marks the question of a step in the list.
function markAsked({ step }) {
  for (const item of list?.children ?? []) {
    const isCurrent = Number(item.querySelector("[data-step]").dataset.step) === step;
    filled(item, { "aria-current": isCurrent ? "step" : "false" }, []);
    if (isCurrent) reveal(list, item);
  }
}

Object.assign(viewer, {
  state: { key: (step) => step.step, build: storyState },
  tabs: ["present", "beliefs", "questions", "costs"],
  tested: ({ beliefs, asked }) => (beliefs.about && asked.some(({ kind }) => kind === "AnswerFromPerspective") ? [beliefs.about] : []),
  test: "question",
  sections: ({ happened, thoughts }) => [tale, questionsList, happened, thoughts],
  marks: () => [
    { name: "right-answer", label: "right", shape: "disc", row: 0, colour: "--series-2", find: (step) => (questionOf(step)?.right ? [questionOf(step).text] : []) },
    { name: "wrong-answer", label: "wrong", shape: "cross", row: 1, colour: "--series-1", find: (step) => (questionOf(step)?.right === false ? [questionOf(step).text] : []) },
  ],
  why: () => null,
});
