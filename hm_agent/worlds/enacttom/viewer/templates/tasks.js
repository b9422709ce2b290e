// A set of household tasks: a list with filters, and one task at a time with its proofs.

class Tasks extends Listing {
  constructor(tasks, chunk) {
    super(tasks.map((task, number) => ({ ...task, number, words: `${task.id} ${task.title} ${task.category} ${task.mechanics.map(spaced).join(" ")}`.toLowerCase() })), chunk);
  }

  choices() {
    const found = [];
    const add = (name, label, of, words = String) => {
      const values = this.values(of);
      if (values.length > 1) found.push(this.select(name, label, Object.fromEntries(values.map((value) => [`${value}`, words(value)])), (one, value) => String(of(one)) === value));
    };
    add("category", "category", ({ category }) => category);
    add("depth", "K depth", ({ depth }) => depth);
    add("agents", "agents", ({ agents }) => agents);
    add("proved", "proof", ({ unproved }) => (unproved.length ? "unproved" : "proved"));
    const mechanics = [...new Set(this.all.flatMap((task) => task.mechanics))].sort();
    if (mechanics.length > 1) found.push(this.select("mechanic", "mechanic", Object.fromEntries(mechanics.map((name) => [name, spaced(name)])), (one, value) => one.mechanics.includes(value)));
    found.push(this.search("words of title, id or mechanics"));
    return found;
  }

  count() {
    return `${this.fitting.length.toLocaleString("en")} of ${counted(this.all.length, "task")}.`;
  }

  addressOf({ id }) {
    return addressWith({ task: id });
  }

  factsOf({ category, depth, agents, rooms, furniture, objects, mechanics, turns, messages, unproved }) {
    const plan = turns === null ? "no plan kept" : `plan of ${counted(turns, "turn")} and ${counted(messages, "message")}`;
    return [...(unproved.length ? ["unproved"] : []), category, `K depth ${depth}`, counted(agents, "agent"), counted(rooms, "room"), `${counted(furniture, "piece")} of furniture`, counted(objects, "object"), plan, ...mechanics.map(spaced)].join(" · ");
  }

  item(task) {
    return make("li", {}, make("a", { href: this.addressOf(task) }, task.title), make("code", {}, task.id), make("small", {}, this.factsOf(task)));
  }

  get alone() {
    return { task: null };
  }

  wantedBy(said) {
    return this.all.find(({ id }) => id === said.get("task")) ?? null;
  }

  async open(task) {
    const found = await this.detailsOf("tasks", task.number);
    if (this.wanted !== task) return; // another one was asked for since
    const beside = (number, words) => (this.all[number] ? make("a", { href: this.addressOf(this.all[number]) }, words) : null);
    const ways = [make("button", { type: "button", class: "link", onclick: () => this.leave() }, "← All tasks"), beside(task.number - 1, "Task before"), beside(task.number + 1, "Next task")];
    this.present(ways, task.title, make("p", { class: "facts-line" }, make("code", {}, task.id), ` · ${this.factsOf(task)}`),
      make("div", { class: "two" }, make("div", {}, this.household(found), this.missing(task), this.certificate(found)), make("div", {}, this.briefing(found), this.pddl(found))));
  }

  household({ house, figures }) {
    return make("section", { class: "part" }, make("p", {}, chips(house, house.agents.map(({ name }) => name))), planOf(house, "The household at the start", figures),
      make("p", { class: "faint" }, "The household at the start. A crossed number: that agent cannot enter. Arrows: what a handle sets; up and down: a reversed handle. Framed: what lies within."),
      make("h2", {}, "The goal"), goalList(house, null));
  }

  briefing({ house, text, secrets, mechanics, budgets, max_turns }) {
    const told = house.agents.map(({ name }) => [make("h2", {}, chip(house, name), " alone is told"), secrets[name].length ? make("ul", {}, secrets[name].map((secret) => make("li", {}, secret))) : make("p", { class: "faint" }, "nothing")]);
    return make("section", { class: "part" }, make("h2", {}, "Everyone is told"), make("p", { class: "words" }, text), told,
      make("h2", {}, "Mechanics"), mechanics.length ? make("ul", {}, mechanics.map((words) => make("li", {}, words))) : make("p", { class: "faint" }, "none"),
      make("h2", {}, "Budgets"), make("p", {}, `${counted(max_turns, "turn")}; messages: ${house.agents.map(({ name }) => `${name} ${budgets[name]}`).join(", ")}`));
  }

  missing({ unproved }) {
    return unproved.length ? make("section", { class: "part" }, make("h2", {}, "Unproved"), make("ul", {}, unproved.map((why) => make("li", { class: "not-as-wanted" }, why)))) : null;
  }

  certificate({ house, certificate }) {
    if (!certificate) return make("section", { class: "part" }, make("h2", {}, "Certificate"), make("p", { class: "faint" }, "none: hm-agent verify --write makes one"));
    const row = ({ about, status, wanted, note }) => {
      const isWanted = wanted === null || status === wanted;
      return make("tr", {}, make("th", { scope: "row" }, about), make("td", { class: wanted === null ? null : isWanted ? "as-wanted" : "not-as-wanted" }, `${wanted === null ? "" : isWanted ? "✓ " : "✗ "}${status}`), make("td", {}, isWanted ? note : `wanted: ${wanted}`));
    };
    return make("section", { class: "part" }, make("h2", {}, "The certified plan"), turnTable(house, certificate.plan.length, (turn, agent) => (certificate.plan[turn][agent] === undefined ? make("span", { class: "faint" }, "–") : commandOf(certificate.plan[turn][agent]))),
      make("h2", {}, "Proofs"), certificate.is_current ? null : make("p", { class: "not-as-wanted" }, "They were made for another state of the file."),
      make("div", { class: "scroll" }, make("table", { class: "proofs" }, make("tbody", {}, certificate.proofs.map(row)))),
      make("p", { class: "faint hash" }, `${certificate.solver}; task ${certificate.task_hash.slice(0, 16)}…, STRIPS ${certificate.strips_hash.slice(0, 16)}…`));
  }

  pddl({ pddl }) {
    return make("details", { class: "pddl" }, make("summary", {}, "The problem as PDDL, with K operators"), make("pre", {}, pddl));
  }
}

browse((tasks, chunk) => new Tasks(tasks, chunk));
