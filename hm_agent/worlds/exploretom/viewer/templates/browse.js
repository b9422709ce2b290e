// A set of stories: its questions as a list with filters, and one story at a time. The page's address alone knows what is
// shown, so that it can be linked and the way back leads back.

const PORTION = 60; // questions that are added to the list at once

const DEPTHS = { 0: "0: the world", 1: "1: a belief", 2: "2: a belief about a belief" };
const YES_OR_NO = { yes: "yes", no: "no" };

const fromAddress = () => new URLSearchParams(location.hash.slice(1));

class Browser {
  constructor(stories, chunk) {
    Object.assign(this, { stories, chunk, details: new Map(), shown: PORTION });
    this.all = stories.flatMap(({ questions }, story) => questions.map((question, place) => ({ story, place, question, words: `${question.text} ${question.answer ?? ""} ${stories[story].id}`.toLowerCase() })));
    this.readers = [...new Set(this.all.flatMap(({ question }) => question.given.map(({ by }) => by)))];
    this.filters = this.choices();
    byId("filters").append(...Object.entries(this.filters).map(([, { element }]) => element));
    byId("more").addEventListener("click", () => this.more());
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.press(event));
    this.follow();
  }

  // The filters that tell questions of this set apart: {element, input, fits(question, value)} by name.
  choices() {
    const has = (test) => this.all.some(({ question }) => test(question)) && this.all.some(({ question }) => !test(question));
    const values = (name) => [...new Set(this.all.map(({ question }) => question[name]))].filter((value) => value !== null && value !== "").sort();
    const select = (name, label, options, fits) => {
      const input = make("select", { onchange: () => this.ask({ [name]: input.value }) }, make("option", { value: "" }, "any"), Object.entries(options).map(([value, words]) => make("option", { value }, words)));
      return [name, { input, fits, element: make("label", {}, `${label} `, input) }];
    };
    const found = [];
    if (values("order").length > 1) found.push(select("order", "order", Object.fromEntries(values("order").map((order) => [order, DEPTHS[order] ?? order])), (question, value) => String(question.order) === value));
    if (values("property").length > 1) found.push(select("property", "about", Object.fromEntries(values("property").map((name) => [name, name])), (question, value) => question.property === value));
    for (const [name, label] of [["interesting", "interesting"], ["false_belief", "false belief"], ["functional", "action to choose"]])
      if (has((question) => question[name] === true)) found.push(select(name, label, YES_OR_NO, (question, value) => question[name] === (value === "yes")));
    if (this.readers.length) {
      const options = { "": {}, ...Object.fromEntries(this.readers.flatMap((by, i) => [[`wrong-${i}`, `${by}: wrong`], [`right-${i}`, `${by}: right`]])) };
      delete options[""];
      found.push(select("answered", "answered", { wrong: "wrong by anyone", right: "right by all", ...options }, (question, value) => this.isAnswered(question, value)));
    }
    const words = make("input", { type: "search", id: "search", placeholder: "words of question, answer or id", autocomplete: "off", spellcheck: "false", oninput: () => this.ask({ words: words.value }) });
    found.push(["words", { input: words, element: make("label", { class: "words-filter" }, "with ", words), fits: null }]);
    return Object.fromEntries(found);
  }

  isAnswered({ given }, value) {
    const [verdict, reader] = value.split("-");
    const counted = reader === undefined ? given : given.filter(({ by }) => by === this.readers[reader]);
    if (!counted.length) return false;
    if (reader === undefined && verdict === "right") return counted.every(({ right }) => right);
    return counted.some(({ right }) => right === (verdict === "right"));
  }

  ask(changes) {
    const said = fromAddress();
    for (const [name, value] of Object.entries(changes)) value ? said.set(name, value) : said.delete(name);
    history.replaceState(null, "", `#${said}`);
    this.list();
  }

  // Shows what the page's address says: a story, or the list.
  follow() {
    const said = fromAddress();
    const story = /^\d+$/.test(said.get("story") ?? "") ? Number(said.get("story")) : -1;
    const isStory = story in this.stories;
    byId("list").hidden = isStory;
    byId("one").hidden = !isStory;
    if (isStory) this.open(story, Number(said.get("question") ?? 0));
    else this.list();
  }

  list() {
    const said = fromAddress();
    for (const [name, { input }] of Object.entries(this.filters)) if (input.value !== (said.get(name) ?? "")) input.value = said.get(name) ?? "";
    const sought = (said.get("words") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const asked = Object.entries(this.filters).filter(([name, { fits }]) => fits && said.get(name));
    this.fitting = this.all.filter(({ question, words }) => asked.every(([name, { fits }]) => fits(question, said.get(name))) && sought.every((word) => words.includes(word)));
    this.shown = PORTION;
    const stories = new Set(this.fitting.map(({ story }) => story)).size;
    byId("count").textContent = `${this.fitting.length.toLocaleString("en")} of ${counted(this.all.length, "question")}, in ${stories.toLocaleString("en")} of ${this.stories.length.toLocaleString("en")} ${this.stories.length === 1 ? "story" : "stories"}.`;
    byId("readers").replaceChildren(...this.accuracies());
    byId("found").replaceChildren();
    this.fill(0);
  }

  // How often each reader was right, of the questions that fit.
  accuracies() {
    const rows = this.readers.map((reader) => {
      const own = this.fitting.flatMap(({ question }) => question.given.filter(({ by }) => by === reader));
      const right = own.filter((one) => one.right).length;
      const share = own.length ? `${((100 * right) / own.length).toFixed(1)}%` : "–";
      return make("tr", {}, make("th", { scope: "row" }, reader), make("td", { class: "amount" }, share), make("td", { class: "amount" }, `${right.toLocaleString("en")} of ${own.length.toLocaleString("en")}`));
    });
    return rows.length ? [make("table", { class: "accuracies" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "reader"), make("th", { scope: "col", class: "amount" }, "accuracy"), make("th", { scope: "col", class: "amount" }, "right"))), make("tbody", {}, rows))] : [];
  }

  more() {
    const from = this.shown;
    this.shown += PORTION;
    this.fill(from);
    byId("found").children[from]?.querySelector("a").focus();
  }

  fill(from) {
    byId("found").append(...this.fitting.slice(from, this.shown).map((one) => this.item(one)));
    byId("more").hidden = this.shown >= this.fitting.length;
  }

  address(story, place) {
    const said = fromAddress();
    said.set("story", story);
    said.set("question", place);
    return `#${said}`;
  }

  item({ story, place, question }) {
    const wrong = question.given.filter(({ right }) => !right);
    const kinds = [question.order === null ? null : `order ${question.order}`, question.property, question.interesting ? "interesting" : null, question.false_belief ? "false belief" : null, this.stories[story].id];
    return make("li", { class: wrong.length ? "is-wrong" : null }, make("a", { href: this.address(story, place) }, question.text), make("span", { class: "right-answer" }, question.answer ?? "answer not recorded"),
      make("small", {}, kinds.filter(Boolean).join(" · ")), wrong.length ? make("small", { class: "wrong" }, "✗ ", wrong.map(({ by, given }) => `${by}: ${given || "no answer"}`).join("; ")) : null);
  }

  async detailsOf(story) {
    const number = Math.floor(story / this.chunk);
    if (!this.details.has(number)) this.details.set(number, unpacked(`stories-${number}`).then((bytes) => JSON.parse(new TextDecoder().decode(bytes))));
    return (await this.details.get(number))[story % this.chunk];
  }

  async open(story, place) {
    this.wanted = story;
    const details = await this.detailsOf(story);
    if (this.wanted !== story) return; // another one was asked for since
    if (this.opened !== story) {
      this.opened = story;
      this.panel = new ToldStory(details.story);
      this.card = make("div");
      const { id, links, questions } = this.stories[story];
      this.items = questions.map((question, at) => make("li", { class: question.given.some(({ right }) => !right) ? "is-wrong" : null }, make("span", { "aria-hidden": "true" }, question.given.length ? (question.given.every(({ right }) => right) ? "✓" : "✗") : "·"), make("button", { type: "button", class: "link", onclick: () => this.turn(at) }, question.text), make("small", {}, question.answer ?? "")));
      const replays = Object.entries(links).map(([reader, link]) => make("a", { href: link }, `replay of ${reader}`));
      byId("one").replaceChildren(make("nav", { class: "ways", "aria-label": "Stories" }, make("button", { type: "button", class: "link", onclick: () => this.leave() }, "← All questions"), this.neighbour(story - 1, "Story before"), this.neighbour(story + 1, "Next story"), replays),
        make("h2", { class: "story-title", tabindex: -1 }, id),
        make("div", { class: "two" }, make("div", {}, this.card, this.panel.element), make("div", {}, make("section", { class: "part" }, make("h2", {}, "The story"), this.panel.tale),
          details.infilled ? make("section", { class: "part" }, make("h2", {}, "As a language model tells it"), make("p", { class: "infilled" }, details.infilled)) : null,
          make("section", { class: "part" }, make("h2", {}, counted(questions.length, "question")), make("ul", { class: "asked-list" }, this.items)))));
      scrollTo(0, 0);
      byId("one").querySelector(".story-title").focus({ preventScroll: true });
    }
    const at = Math.min(Math.max(0, place || 0), this.items.length - 1);
    this.place = at;
    const [question, more] = [this.stories[story].questions[at], details.asked[at]];
    if (!question) return;
    this.items.forEach((item, i) => (i === at ? item.setAttribute("aria-current", "true") : item.removeAttribute("aria-current")));
    this.card.replaceChildren(make("h2", {}, "The question"), questionCard({ ...question, ...more, answer: question.answer ?? "" }, question.given));
    this.panel.ask(more.spot);
  }

  neighbour(story, words) {
    return story in this.stories ? make("a", { href: this.address(story, 0) }, words) : null;
  }

  // Another question of the same story.
  turn(place) {
    history.replaceState(null, "", this.address(this.opened, place));
    this.follow();
  }

  leave() {
    const said = fromAddress();
    said.delete("story");
    said.delete("question");
    location.hash = said;
  }

  press(event) {
    if (byId("one").hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    const by = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") this.leave();
    else if (by && event.key.length > 7 && event.target.closest(".asked-list")) {
      event.preventDefault();
      this.turn(Math.min(this.items.length - 1, Math.max(0, this.place + by)));
      this.items[this.place].querySelector("button").focus();
    }
  }
}

unpacked("set").then((bytes) => {
  window.browser = new Browser(JSON.parse(new TextDecoder().decode(bytes)), Number(document.body.dataset.chunk));
  byId("main").hidden = false;
  byId("notice").hidden = true;
}).catch((error) => {
  byId("notice").textContent = `This page could not be unpacked: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
