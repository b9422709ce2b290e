// Every question with its prompt, replies and answer; by kind, and searchable.

class Questions {
  open(seat) {
    this.all = seat.questions;
    const kinds = new Map();
    for (const { kind } of this.all) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    this.kind = make("select", { "aria-label": "Kind of question", onchange: () => this.filter() }, make("option", { value: "" }, `all kinds (${this.all.length})`), [...kinds].map(([kind, count]) => make("option", { value: kind }, `${kind} (${count})`)));
    this.words = make("input", { type: "search", id: "search", placeholder: "Search prompts, replies and answers", "aria-label": "Search", oninput: () => this.filter() });
    this.trouble = make("input", { type: "checkbox", onchange: () => this.filter() });
    this.count = make("p", { class: "faint", role: "status" });
    this.list = make("div", { class: "questions" });
    byId("questions").replaceChildren(make("div", { class: "filter" }, this.kind, this.words, make("label", {}, this.trouble, " only those asked again or without a usable answer")), this.count, this.list);
    this.items = this.all.map((asked) => this.item(asked));
    this.list.append(...this.items);
    this.filter();
  }

  item(asked) {
    const item = make("details", { "data-place": asked.place }, make("summary", {}, make("b", {}, asked.kind), make("span", { class: "digest" }, summaryOf(asked)), make("small", {}, price(asked))));
    item.addEventListener("toggle", () => item.open && this.fill(item, asked));
    return item;
  }

  // The whole exchange: built when it is first opened, and again when the words searched for have changed.
  fill(item, asked) {
    const wanted = this.words.value.trim();
    if (item.dataset.filled === `:${wanted}`) return;
    item.dataset.filled = `:${wanted}`;
    const said = (title, text) => [make("h3", {}, title), make("pre", {}, highlighted(text, wanted))];
    const calls = asked.calls.flatMap((call, i) => [
      i ? said(`Asked again, attempt ${i + 1}`, call.prompt) : null,
      call.replies.map((reply, k) => said(call.replies.length > 1 ? `Reply ${k + 1} of ${call.replies.length}` : "Reply", reply)),
      call.problem ? make("p", { class: "wrong" }, `Could not be used: ${call.problem}`) : null,
    ]);
    item.querySelector(".said")?.remove();
    item.append(make("div", { class: "said" }, make("p", {}, stepLink(asked.step)), said(asked.calls.length ? "Prompt" : "Prompt, as a language model would have read it", asked.prompt), calls.flat(3).filter(Boolean),
      said("Answer", asked.answer === null ? "no usable answer" : JSON.stringify(asked.answer, null, 1))));
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
  }

  reveal(place) {
    if (this.items[place].hidden) {
      this.kind.value = this.words.value = "";
      this.trouble.checked = false;
      this.filter();
    }
    this.items[place].open = true;
    this.items[place].scrollIntoView({ block: "nearest" });
    this.items[place].querySelector("summary").focus();
  }

  show(index) {
    if (byId("questions").hidden) return;
    this.items.forEach((item, i) => item.classList.toggle("current", this.all[i].step === index));
  }
}

const texts = new WeakMap();
function textOf(asked) {
  if (!texts.has(asked)) texts.set(asked, [asked.kind, asked.prompt, ...asked.calls.flatMap((call) => [call.prompt, ...call.replies, call.problem ?? ""]), JSON.stringify(asked.answer, null, 1)].join("\n").toLowerCase());
  return texts.get(asked);
}

// An answer in a few words.
function summaryOf({ answer }) {
  if (answer === null) return "no usable answer";
  const { reasoning, ...rest } = answer;
  return Object.values(rest).map((value) => (typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value))).join(" · ");
}

function price({ step, calls, seconds, cached, input, output, cost }) {
  return [`step ${step.toLocaleString("en")}`, calls.length > 1 ? counted(calls.length, "call") : null, input === null ? null : `${input.toLocaleString("en")} → ${(output ?? 0).toLocaleString("en")} tokens`,
    cost === null ? null : `$${cost.toFixed(4)}`, seconds === null ? null : duration(seconds), cached ? "from the cache" : null].filter(Boolean).join(" · ");
}

const duration = (seconds) => (seconds < 0.001 ? "under 1 ms" : seconds < 1 ? `${number(1000 * seconds, 0)} ms` : `${number(seconds)} s`);

function highlighted(text, wanted) {
  if (!wanted) return [text];
  const parts = [];
  const lower = text.toLowerCase(), sought = wanted.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, from)) {
    parts.push(text.slice(from, at), make("mark", {}, text.slice(at, at + sought.length)));
    from = at + sought.length;
  }
  return [...parts, text.slice(from)];
}
