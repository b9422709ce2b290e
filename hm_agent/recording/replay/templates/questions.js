// All questions with prompts, replies and answers, which can be filtered and searched. The list follows the selected step
// until the reader scrolls or opens a question; the questions of that step, or else the latest before it, are marked.

class Questions {
  open(seat) {
    Object.assign(this, { seat, all: seat.questions, items: null, marked: [], index: 0, due: 0 });
    byId("questions").replaceChildren();
  }

  // Builds the content of the tab, when it is first shown.
  build() {
    const kinds = new Map();
    for (const { kind } of this.all) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    this.kind = make("select", { "aria-label": "Kind of question", onchange: () => this.filter() }, make("option", { value: "" }, `all kinds (${this.all.length.toLocaleString("en")})`), [...kinds].map(([kind, count]) => make("option", { value: kind }, `${kind} (${count.toLocaleString("en")})`)));
    this.words = make("input", { type: "search", id: "search", placeholder: "Search prompts, replies and answers", "aria-label": "Search", oninput: () => this.filter() });
    this.trouble = make("input", { type: "checkbox", onchange: () => this.filter() });
    this.count = make("span", { role: "status" }); // apart from `when`: screen readers need not announce changes of the step
    this.when = make("span");
    this.following = make("input", { type: "checkbox", role: "switch", id: "follow", checked: true, onchange: () => this.follow(this.following.checked) });
    this.list = make("div", { class: "questions", onscroll: () => this.scrolled() });
    this.items = this.all.map((asked) => this.item(asked));
    this.list.append(...this.items);
    byId("questions").replaceChildren(make("div", { class: "filter" }, this.kind, this.words, make("label", {}, this.trouble, " only those asked again or without a usable answer")),
      make("div", { class: "status" }, make("p", { class: "faint" }, this.count, this.when), make("label", { class: "switch", title: "Keeps the questions of the selected step in sight" }, this.following, " Follow the step")), this.list);
    this.filter();
  }

  item(asked) {
    const item = make("details", { "data-place": asked.place },
      make("summary", { onclick: () => this.follow(false) }, make("b", {}, asked.kind), make("span", { class: "digest" }, summaryOf(asked)), asked.why ? make("small", { class: "why", title: asked.why }, asked.why) : null, make("small", {}, price(asked))));
    item.addEventListener("toggle", () => item.open && this.fill(item, asked));
    return item;
  }

  // Builds the whole exchange when it is first opened, and again when the words searched for have changed.
  fill(item, asked) {
    const wanted = this.words.value.trim();
    if (item.dataset.filled === `:${wanted}`) return;
    item.dataset.filled = `:${wanted}`;
    item.querySelector(".said")?.remove();
    item.append(make("div", { class: "said" }, exchange(asked, (text) => highlighted(text, wanted), wanted)));
  }

  filter() {
    const wanted = this.words.value.trim().toLowerCase();
    let found = 0;
    this.all.forEach((asked, i) => {
      const fits = (!this.kind.value || asked.kind === this.kind.value) && (!this.trouble.checked || asked.calls.length > 1 || asked.answer === null) && (!wanted || textOf(asked).includes(wanted));
      this.items[i].hidden = !fits;
      found += fits;
      if (fits && this.items[i].open) this.fill(this.items[i], asked);
    });
    this.count.textContent = `${found.toLocaleString("en")} of ${counted(this.all.length, "question")}`;
    this.mark();
  }

  reveal(place) {
    if (this.items[place].hidden) {
      this.kind.value = this.words.value = "";
      this.trouble.checked = false;
      this.filter();
    }
    this.follow(false);
    this.items[place].open = true;
    this.scrollTo(this.items[place]);
    this.items[place].querySelector("summary").focus({ preventScroll: true });
  }

  show(index) {
    this.index = index;
    if (byId("questions").hidden) return;
    if (this.items) this.mark();
    else this.build();
  }

  // Marks the questions of the selected step, or else those of the latest step before it at which any was asked.
  mark() {
    const latest = this.all.findLast(({ step, place }) => step <= this.index && !this.items[place].hidden);
    const marked = latest ? this.items.filter((item, place) => this.all[place].step === latest.step && !item.hidden) : [];
    for (const item of this.marked) item.classList.toggle("current", marked.includes(item));
    for (const item of marked) item.classList.add("current");
    this.marked = marked;
    const when = latest ? (latest.step === this.index ? `${marked.length} asked at this step` : `latest asked at step ${latest.step.toLocaleString("en")}`) : "none asked yet";
    this.when.textContent = this.all.length ? ` · ${when}` : "";
    if (this.following.checked) this.scrollTo(marked[0] ?? this.items[0]);
  }

  follow(on) {
    this.following.checked = on;
    if (on) this.mark();
  }

  scrollTo(item) {
    if (item) this.list.scrollTop = item.offsetTop;
    this.due = this.list.scrollTop;
  }

  // Stops following if the position is not the one that the page has set: then the reader has scrolled.
  scrolled() {
    const furthest = Math.max(0, this.list.scrollHeight - this.list.clientHeight);
    if (Math.abs(this.list.scrollTop - Math.min(this.due, furthest)) > 1) this.follow(false);
  }
}

// The whole exchange: the prompt, the replies that differ from the answer, what was wrong with them, and the answer.
function exchange({ step, why, calls, prompt, answer }, text, wanted) {
  const part = (title, words) => [make("h3", {}, title), make("pre", {}, text(words))];
  const verbatim = []; // replies that are the answer and nothing else
  const rounds = calls.map((call, i) => [
    i ? part(`Asked again, attempt ${i + 1}`, call.prompt) : null,
    call.replies.map((reply, k) => {
      if (call.problem === null && means(reply, answer)) return verbatim.push(reply) && null;
      return part(`${call.problem === null ? "Reply, as written" : "Reply, refused"}${call.replies.length > 1 ? ` (${k + 1} of ${call.replies.length})` : ""}`, reply);
    }),
    call.problem ? make("p", { class: "wrong" }, `Could not be used: ${call.problem}`) : null,
  ]);
  const title = answer !== null && calls.at(-1)?.problem ? "The part of the answer that was used" : "Answer";
  const told = make("div", { class: "answer" }, answer === null ? "no usable answer" : tree(answer, text));
  const isSoughtInRaw = wanted !== "" && !told.textContent.toLowerCase().includes(wanted.toLowerCase());
  const raw = verbatim.map((reply) => make("details", { class: "raw", open: isSoughtInRaw && reply.toLowerCase().includes(wanted.toLowerCase()) }, make("summary", {}, "the reply as it was written"), make("pre", {}, text(reply))));
  return [make("p", {}, stepLink(step), why ? `, ${why}` : ""), part(calls.length ? "Prompt" : "Prompt, as a language model would have read it", prompt), rounds, make("h3", {}, title), told, raw];
}

// True if a reply is the answer as JSON and nothing else, apart from a code fence around it.
function means(reply, answer) {
  const [, fenced] = /^```(?:json)?\s*\n([^]*?)\n?```$/.exec(reply.trim()) ?? [];
  try {
    return isSame(JSON.parse(fenced ?? reply), answer);
  } catch {
    return false;
  }
}

// True if two JSON values are equivalent; a missing value equals an empty one, since answers are completed with defaults.
function isSame(one, other) {
  if (isPlain(one) && isPlain(other)) return one === other || (isEmpty(one) && isEmpty(other)) || (typeof one === "string" && typeof other === "string" && inOneLine(one) === inOneLine(other));
  if (isPlain(one) || isPlain(other) || Array.isArray(one) !== Array.isArray(other)) return isEmpty(one) && isEmpty(other);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => isSame(one[key], other[key]));
}

const isEmpty = (value) => value === undefined || value === null || value === false || value === "" || (typeof value === "object" && !Object.keys(value).length);

// Normalises a text as questions.in_one_line does with the texts of answers.
const inOneLine = (text) => text.split(/\s+/).filter(Boolean).join(" ").replace(/^[# ]+/, "");

const texts = new WeakMap();
function textOf(asked) {
  if (!texts.has(asked)) texts.set(asked, [asked.kind, asked.why ?? "", asked.prompt, ...asked.calls.flatMap((call) => [call.prompt, ...call.replies, call.problem ?? ""]), JSON.stringify(asked.answer, null, 1), make("div", {}, tree(asked.answer)).textContent].join("\n").toLowerCase());
  return texts.get(asked);
}

// An answer in one line, without its reasoning and what is empty.
function summaryOf({ answer }) {
  if (answer === null) return "no usable answer";
  const { reasoning, ...rest } = answer;
  const fields = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  return fields.map(([name, value]) => (value === true ? markInWords(name) : `${fields.length > 1 ? `${spaced(name)}: ` : ""}${inline(value)}`)).join(" · ");
}

const markInWords = (name) => (viewer.meanings[name] ?? spaced(name)).split(":")[0];

function inline(value) {
  if (isPlain(value)) return String(value);
  if (isCounts(value)) return countsInWords(value);
  if (Array.isArray(value)) return value.map(inline).join(", ");
  return Object.entries(value).filter(([, item]) => !isEmpty(item)).map(([name, item]) => (item === true ? markInWords(name) : `${spaced(name)} ${inline(item)}`)).join(", ");
}

function price({ step, calls, seconds, usage }) {
  const tokens = usage.calls && usage.unknown.input < usage.calls ? `${amount(usage, "input")} → ${amount(usage, "output")} tokens` : null;
  const cached = usage.cached && (usage.cached === usage.calls ? "from the cache" : `${usage.cached} from the cache`);
  return [`step ${step.toLocaleString("en")}`, calls.length > 1 ? counted(calls.length, "call") : null, tokens, calls.length && usage.unknown.cost < calls.length ? amount(usage, "cost") : null, seconds === null ? null : duration(seconds), cached].filter(Boolean).join(" · ");
}

function highlighted(text, wanted) {
  if (!wanted) return [text];
  // Every other part is a match. Positions in the lower-case text are of no use, since its length may differ.
  const sought = new RegExp(`(${wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")})`, "gi");
  return text.split(sought).map((part, i) => (i % 2 ? make("mark", {}, part) : part));
}
