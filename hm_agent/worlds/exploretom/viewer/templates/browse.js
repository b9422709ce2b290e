// A set of stories: its questions as a list with filters, and one story at a time.

const DEPTHS = { 0: "0: the world", 1: "1: a belief", 2: "2: a belief about a belief" };
const YES_OR_NO = { yes: "yes", no: "no" };

class Stories extends Listing {
  constructor(stories, chunk) {
    super(stories.flatMap(({ questions }, story) => questions.map((question, place) => ({ story, place, question, words: `${question.text} ${question.answer ?? ""} ${stories[story].id}`.toLowerCase() }))), chunk);
    this.stories = stories;
    this.readers = [...new Set(this.all.flatMap(({ question }) => question.given.map(({ by }) => by)))];
  }

  // The filters that tell questions of this set apart.
  choices() {
    const has = (test) => this.all.some(({ question }) => test(question)) && this.all.some(({ question }) => !test(question));
    const values = (name) => this.values(({ question }) => question[name]);
    const select = (name, label, options, fits) => this.select(name, label, options, ({ question }, value) => fits(question, value));
    const found = [];
    if (values("order").length > 1) found.push(select("order", "order", Object.fromEntries(values("order").map((order) => [order, DEPTHS[order] ?? order])), (question, value) => String(question.order) === value));
    if (values("property").length > 1) found.push(select("property", "about", Object.fromEntries(values("property").map((name) => [name, name])), (question, value) => question.property === value));
    for (const [name, label] of [["interesting", "interesting"], ["false_belief", "false belief"], ["functional", "action to choose"]])
      if (has((question) => question[name] === true)) found.push(select(name, label, YES_OR_NO, (question, value) => question[name] === (value === "yes")));
    if (this.readers.length) {
      const options = Object.fromEntries(this.readers.flatMap((by, i) => [[`wrong-${i}`, `${by}: wrong`], [`right-${i}`, `${by}: right`]]));
      found.push(select("answered", "answered", { wrong: "wrong by anyone", right: "right by all", ...options }, (question, value) => this.isAnswered(question, value)));
    }
    found.push(this.search("words of question, answer or id"));
    return found;
  }

  isAnswered({ given }, value) {
    const [verdict, reader] = value.split("-");
    const counted = reader === undefined ? given : given.filter(({ by }) => by === this.readers[reader]);
    if (!counted.length) return false;
    if (reader === undefined && verdict === "right") return counted.every(({ right }) => right);
    return counted.some(({ right }) => right === (verdict === "right"));
  }

  get alone() {
    return { story: null, question: null };
  }

  wantedBy(said) {
    const story = /^\d+$/.test(said.get("story") ?? "") ? Number(said.get("story")) : -1;
    return story in this.stories ? story : null;
  }

  count() {
    const stories = new Set(this.fitting.map(({ story }) => story)).size;
    return `${this.fitting.length.toLocaleString("en")} of ${counted(this.all.length, "question")}, in ${stories.toLocaleString("en")} of ${this.stories.length.toLocaleString("en")} ${this.stories.length === 1 ? "story" : "stories"}.`;
  }

  // How often each reader was right, of the questions that fit.
  above() {
    const rows = this.readers.map((reader) => {
      const own = this.fitting.flatMap(({ question }) => question.given.filter(({ by }) => by === reader));
      const right = own.filter((one) => one.right).length;
      const share = own.length ? `${((100 * right) / own.length).toFixed(1)}%` : "–";
      return make("tr", {}, make("th", { scope: "row" }, reader), make("td", { class: "amount" }, share), make("td", { class: "amount" }, `${right.toLocaleString("en")} of ${own.length.toLocaleString("en")}`));
    });
    return rows.length ? [make("table", { class: "accuracies" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "reader"), make("th", { scope: "col", class: "amount" }, "accuracy"), make("th", { scope: "col", class: "amount" }, "right"))), make("tbody", {}, rows))] : [];
  }

  address(story, place) {
    return addressWith({ story, question: place });
  }

  item({ story, place, question }) {
    const wrong = question.given.filter(({ right }) => !right);
    const kinds = [question.order === null ? null : `order ${question.order}`, question.property, question.interesting ? "interesting" : null, question.false_belief ? "false belief" : null, this.stories[story].id];
    return make("li", { class: wrong.length ? "is-wrong" : null }, make("a", { href: this.address(story, place) }, question.text), make("span", { class: "right-answer" }, question.answer ?? "answer not recorded"),
      make("small", {}, kinds.filter(Boolean).join(" · ")), wrong.length ? make("small", { class: "wrong" }, "✗ ", wrong.map(({ by, given }) => `${by}: ${given || "no answer"}`).join("; ")) : null);
  }

  async open(story, said, isNew) {
    const place = Number(said.get("question") ?? 0);
    const details = await this.detailsOf("stories", story);
    if (this.wanted !== story) return; // another one was asked for since
    const isOther = isNew || this.opened !== story;
    if (isOther) {
      this.opened = story;
      this.panel = new ToldStory(details.story);
      this.card = make("div");
      const { id, links, questions } = this.stories[story];
      this.items = questions.map((question, at) => make("li", { class: question.given.some(({ right }) => !right) ? "is-wrong" : null }, this.verdict(question), make("button", { type: "button", class: "link", onclick: () => this.turn(at) }, question.text), make("small", {}, question.answer ?? "")));
      const replays = Object.entries(links).map(([reader, link]) => make("a", { href: link }, `replay of ${reader}`));
      this.present([make("button", { type: "button", class: "link", onclick: () => this.leave() }, "← All questions"), this.neighbour(story - 1, "Story before"), this.neighbour(story + 1, "Next story"), replays], id,
        make("div", { class: "two" }, make("div", {}, this.card, this.panel.element), make("div", {}, make("section", { class: "part" }, make("h2", {}, "The story"), this.panel.tale),
          details.infilled ? make("section", { class: "part" }, make("h2", {}, "As a language model tells it"), make("p", { class: "infilled" }, details.infilled)) : null,
          make("section", { class: "part" }, make("h2", {}, counted(questions.length, "question")), make("ul", { class: "asked-list" }, this.items)))));
    }
    const at = Math.min(Math.max(0, place || 0), this.items.length - 1);
    this.place = at;
    const [question, more] = [this.stories[story].questions[at], details.asked[at]];
    if (!question) return;
    this.items.forEach((item, i) => (i === at ? item.setAttribute("aria-current", "true") : item.removeAttribute("aria-current")));
    this.card.replaceChildren(make("h2", {}, "The question"), questionCard({ ...question, ...more, answer: question.answer ?? "" }, question.given));
    this.panel.ask(more.spot);
    if (isOther) reveal(this.items[at].parentElement, this.items[at]);
  }

  // Whether all readers were right.
  verdict({ given }) {
    if (!given.length) return make("span", { "aria-hidden": "true" }, "·");
    const isRight = given.every(({ right }) => right);
    return make("span", { role: "img", "aria-label": isRight ? "right" : "wrong" }, isRight ? "✓" : "✗");
  }

  neighbour(story, words) {
    return story in this.stories ? make("a", { href: this.address(story, 0) }, words) : null;
  }

  // Another question of the same story.
  turn(place) {
    history.replaceState(null, "", this.address(this.opened, place));
    this.follow();
  }

  pressed(event) {
    const by = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !event.target.closest(".asked-list")) return;
    event.preventDefault();
    this.turn(Math.min(this.items.length - 1, Math.max(0, this.place + by)));
    this.items[this.place].querySelector("button").focus();
  }
}

browse((stories, chunk) => new Stories(stories, chunk));
