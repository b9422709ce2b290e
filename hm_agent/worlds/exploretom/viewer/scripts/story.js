// A story as lanes: time runs from left to right, a column for each action. What StoryPicture.data says is drawn; texts
// become text nodes alone (dom.js).

const ROLES = { acts: "acts", told: "is told it", sees: "sees it", peeks: "sees it in secret", misses: "is there, but distracted" };
const WIDE_ENOUGH = 560; // px from which names stand beside the lanes, else above them
const GUTTER = 148, ROW = 22, HEAD = 20, RADIUS = 9;
const TINTS = 8, HUES = 7;

// The fewest first letters that tell names apart, at most three.
function initials(names) {
  const short = (name, length) => [...name].slice(0, length).join("");
  return names.map((name) => short(name, [1, 2].find((length) => names.filter((other) => short(other, length) === short(name, length)).length === 1) ?? 3));
}

// Neighbouring moments with the same value and the same verdict: {value, wrong, from, to}.
function runsOf({ values, wrong }) {
  const runs = [];
  values.forEach((value, at) => {
    const last = runs.at(-1);
    if (last && last.value === value && last.wrong === wrong[at]) last.to = at;
    else runs.push({ value, wrong: wrong[at], from: at, to: at });
  });
  return runs;
}

class StoryChart {
  constructor(story) {
    Object.assign(this, { story, count: story.actions.length, subject: 0, spot: null, selected: null, width: 0 });
    this.letters = initials(story.people);
    this.said = make("p", { class: "told", "aria-live": "polite" });
    this.now = make("div", { class: "now", hidden: true });
    this.numbers = make("div", { class: "numbers", role: "group", "aria-label": "Actions of the story; arrow keys go from one to the next", onkeydown: (event) => this.press(event) });
    this.lanes = make("div", { class: "lanes" });
    this.subjects = make("select", { "aria-label": "What beliefs are about", onchange: () => this.about(Number(this.subjects.value)) }, story.subjects.map(({ title }, i) => make("option", { value: i }, title)));
    this.beliefs = make("div", { class: "rows" });
    this.because = make("p", { class: "because" });
    this.track = make("div", { class: "track" }, this.now, this.numbers, this.lanes, this.key(), story.subjects.length ? make("div", { class: "topic" }, make("h2", {}, "Beliefs on"), this.subjects) : null, this.because, this.beliefs);
    this.tale = make("ol", { class: "tale" }, story.actions.map(([sentence], i) => make("li", {}, make("button", { type: "button", onclick: () => this.select(i + 1) }, sentence))));
    this.element = make("div", { class: "story" }, make("h2", {}, "Who is where, and who sees what"), this.said, this.track);
    new ResizeObserver(() => this.fit()).observe(this.track);
    this.select(null);
  }

  // The key to marks, people and objects; values have one of their own, since they differ by subject.
  key() {
    const { people, things } = this.story;
    const mark = (role) => make("li", {}, draw("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, this.mark(role, "", 0)), ROLES[role]);
    const used = Object.keys(ROLES).filter((role) => this.story.actions.some(([, roles]) => roles.includes(role)));
    return make("div", { class: "story-key" }, make("p", { class: "faint" }, "A thin line is a person, and runs through the room it is in; a thick one is an object. A ring marks an action that the person has to do with."),
      make("ul", {}, used.map(mark), make("li", {}, "no mark: is not there")),
      make("ul", {}, people.map((name, i) => make("li", { class: "person" }, draw("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, this.mark("sees", this.letters[i], i)), name)),
        Object.keys(things).map((name, i) => make("li", { class: "thing" }, draw("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, draw("path", { d: "M-11 0H11", class: `thing-line dash-${i % 3}` })), `the ${name}`))));
  }

  // How a person with a role looks in its column.
  mark(role, letter, place) {
    return draw("g", { class: `mark-${role} hue-${place % HUES}` }, role === "acts" ? draw("circle", { r: RADIUS + 2, class: "halo" }) : null, draw("circle", { r: RADIUS }),
      draw("text", { y: 4, "text-anchor": "middle" }, letter), role === "misses" ? draw("path", { d: `M${-RADIUS} ${RADIUS}L${RADIUS} ${-RADIUS}` }) : null);
  }

  // Selects an action by its number, null for none.
  select(number) {
    this.selected = number;
    this.now.hidden = number === null;
    [...this.tale.children].forEach((item, i) => filled(item.firstChild, { "aria-current": i + 1 === number ? "step" : "false" }, []));
    [...this.numbers.children].forEach((button, i) => filled(button, { "aria-current": i + 1 === number ? "step" : "false", tabindex: i + 1 === (number ?? 1) ? 0 : -1 }, []));
    if (number === null) return this.said.replaceChildren("Time runs from left to right, a column for each action. Choose a number to read the action.");
    const [sentence, roles] = this.story.actions[number - 1];
    const seen = Object.entries(ROLES).map(([role, words]) => [this.story.people.filter((_, i) => roles[i] === role), words]);
    const absent = this.story.people.filter((_, i) => roles[i] === null);
    const told = [...seen, [absent, "is not there"]].filter(([names]) => names.length);
    this.said.replaceChildren(make("b", {}, `${number}. ${sentence}`), " ", make("span", {}, told.map(([names, words]) => `${words}: ${names.join(", ")}`).join("; "), "."));
    this.placeNow();
  }

  placeNow() {
    this.now.style.left = `${this.gutter + this.selected * this.step}px`;
    this.now.style.width = `${this.step}px`;
  }

  press(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation(); // the page has a meaning of its own for these keys
    this.select(Math.min(this.count, Math.max(1, (this.selected ?? 0) + by)));
    this.numbers.children[this.selected - 1].focus();
  }

  // Marks where the answer to a question stands, and selects the action that brought it about. spot: (subject, row,
  // moment), null for none.
  ask(spot) {
    this.spot = spot;
    this.about(spot ? spot[0] : 0);
    this.select(spot ? sinceOf(this.story.subjects[spot[0]].rows[spot[1]], spot[2]) || null : null);
  }

  about(subject) {
    this.subject = subject;
    this.subjects.value = subject;
    if (this.width) this.fill();
  }

  fit() {
    const width = this.track.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.gutter = width >= WIDE_ENOUGH ? GUTTER : 0;
    this.step = (width - this.gutter) / (this.count + 1);
    this.track.style.setProperty("--gutter", `${this.gutter}px`);
    this.track.style.setProperty("--columns", this.count + 1);
    this.track.classList.toggle("slim", !this.gutter);
    const every = Math.ceil(16 / this.step);
    if (!this.numbers.children.length) this.numbers.append(...this.story.actions.map(([sentence], i) => make("button", { type: "button", title: sentence, "aria-label": `Action ${i + 1}`, onclick: () => this.select(i + 1) })));
    [...this.numbers.children].forEach((button, i) => button.replaceChildren((i + 1) % every ? "" : String(i + 1)));
    this.lanes.replaceChildren(this.drawn());
    this.fill();
    this.select(this.selected);
  }

  x(moment) {
    return this.gutter + (moment + 0.5) * this.step;
  }

  // Bands from top to bottom: people in no room, then each room with the people and containers that are ever in it.
  bands() {
    const { people, rooms, containers, where, things } = this.story;
    const everIn = (room) => people.map((_, i) => i).filter((i) => where[i].includes(room));
    const isOpenIn = (room) => Object.values(things).some((places) => places.some((place) => place && place[0] === room && place[1] === null));
    const lanesIn = (room) => [...containers.filter(([, its]) => its === room).map(([name]) => name), ...(isOpenIn(room) ? [null] : [])];
    return [{ title: "in no room", room: null, people: everIn(null), lanes: [] }, ...rooms.map((room) => ({ title: room, room, people: everIn(room), lanes: lanesIn(room) }))]
      .filter(({ people: inside, lanes }) => inside.length || lanes.length);
  }

  drawn() {
    const slots = new Map(), parts = [], labels = []; // labels last, so that no line crosses them
    const deep = Math.max(1, Object.keys(this.story.things).length) * 10 + 12;
    let y = 2;
    for (const band of this.bands()) {
      const top = y;
      y += HEAD;
      for (const i of band.people) slots.set(`person ${i} ${band.room}`, (y += ROW) - ROW / 2);
      for (const lane of band.lanes) {
        const label = lane === null ? "openly there" : lane;
        labels.push(this.gutter ? this.label(label, this.gutter - 8, y + deep / 2 + 4, "end", "lane") : this.label(label, 6, y + 10, "start", "lane"));
        if (!this.gutter) y += 10;
        parts.push(draw("line", { x1: this.gutter, x2: this.width, y1: y + deep / 2, y2: y + deep / 2, class: "bed" }));
        slots.set(`lane ${band.room} ${lane}`, y + deep / 2);
        y += deep;
      }
      if (this.gutter) band.people.forEach((i) => labels.push(this.label(this.story.people[i], this.gutter - 8, slots.get(`person ${i} ${band.room}`) + 4, "end", "lane")));
      parts.unshift(draw("rect", { x: 0, y: top, width: this.width, height: y - top + 4, rx: 6, class: band.room === null ? "nowhere" : "room" }));
      labels.push(this.label(band.title, 6, top + 15, "start", "band"));
      y += 12;
    }
    const lines = [...Object.keys(this.story.things).map((name, i) => this.thing(name, i, slots)), ...this.story.people.map((_, i) => this.person(i, slots))];
    return draw("svg", { width: this.width, height: y, role: "img", "aria-label": "Where each person and object is over the story; the list of actions tells the same" }, parts, lines, labels);
  }

  label(text, x, y, anchor, kind) {
    const room = anchor === "end" ? GUTTER - 12 : this.width - 12;
    const most = Math.floor(room / 6.6);
    const cut = [...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text;
    return draw("text", { x, y, "text-anchor": anchor, class: kind }, cut, draw("title", {}, text));
  }

  way(points) {
    return points.map(([x, y], i) => {
      if (!i) return `M${x} ${y}`;
      const [before, from] = points[i - 1];
      const half = (before + x) / 2;
      return from === y ? `H${x}` : `C${half} ${from} ${half} ${y} ${x} ${y}`;
    }).join("");
  }

  person(i, slots) {
    const points = this.story.where[i].map((room, moment) => [this.x(moment), slots.get(`person ${i} ${room}`)]);
    const scale = Math.min(1, this.step / (2 * RADIUS + 3));
    const marks = this.story.actions.map(([, roles], at) => {
      if (roles[i] === null) return null;
      const [x, y] = points[at + 1];
      const title = draw("title", {}, `${at + 1}. ${this.story.people[i]} ${ROLES[roles[i]]}`);
      return draw("g", { transform: `translate(${x} ${y}) scale(${scale})` }, this.mark(roles[i], this.letters[i], i), title);
    });
    return draw("g", { class: `hue-${i % HUES}` }, draw("path", { d: this.way(points), class: "way" }), marks);
  }

  thing(name, i, slots) {
    const places = this.story.things[name];
    const known = places.flatMap((place, moment) => (place ? [[this.x(moment), slots.get(`lane ${place[0]} ${place[1]}`) + (i - (Object.keys(this.story.things).length - 1) / 2) * 10]] : []));
    const moved = known.filter(([, y], at) => !at || known[at - 1][1] !== y);
    return draw("g", { class: "thing" }, draw("path", { d: this.way(known), class: `thing-line dash-${i % 3}` }), moved.map(([x, y]) => draw("rect", { x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 }, draw("title", {}, `the ${name}`))));
  }

  // The rows of the selected subject: what is so, what each believes, what each thinks that another believes.
  fill() {
    const subject = this.story.subjects[this.subject];
    if (!subject) return;
    const [truth, ...others] = subject.rows;
    const [own, nested] = [others.filter(({ about }) => about === null), others.filter(({ about }) => about !== null)];
    const heading = (words) => make("h3", {}, words);
    const [first, second] = this.story.people;
    const asked = this.spot && this.spot[0] === this.subject ? subject.rows[this.spot[1]] : null;
    this.beliefs.replaceChildren(
      this.row(truth, "what is so", subject, asked), heading("What each believes"), ...own.map((row) => this.row(row, row.who, subject, asked)),
      ...(nested.length ? [heading(`What each thinks that another believes; ${first} → ${second}: what ${first} thinks that ${second} believes`), ...nested.map((row) => this.row(row, `${row.who} → ${row.about}`, subject, asked))] : []),
      make("ul", { class: "values" }, subject.values.map(([, words], i) => make("li", {}, make("i", { class: `tint-${i % TINTS}` }, letterOf(i)), words)), make("li", {}, make("i", { class: "blank" }), "knows nothing of it"),
        subject.rows.some(({ wrong }) => wrong.includes(1)) ? make("li", {}, make("i", { class: "wrong" }, "≠"), "wrong: something else is so, or the other believes something else") : null));
    this.because.replaceChildren(...(asked ? inSentence(asked, subject, this.spot[2]) : []));
  }

  row(row, label, subject, asked) {
    const isAsked = row === asked;
    const runs = runsOf(row).map((run) => this.run(run, subject, isAsked && this.spot[2] >= run.from && this.spot[2] <= run.to));
    return make("div", { class: `row ${isAsked ? "asked" : ""}` }, make("span", { class: "name", title: label }, isAsked ? "? " : "", label), make("div", { class: "runs", role: "img", "aria-label": inWordsOf(row, subject) }, runs));
  }

  run({ value, wrong, from, to }, { values }, isAnswer) {
    const place = `grid-column: ${from + 1} / ${to + 2}`;
    if (value === null) return make("span", { class: `run blank ${isAnswer ? "answer" : ""}`, style: place });
    const [short, words] = values[value];
    const room = (to - from + 1) * this.step - (wrong ? 24 : 12);
    const text = [words, short].find((said) => said.length * 6.6 <= room) ?? letterOf(value);
    return make("span", { class: `run tint-${value % TINTS} ${wrong ? "wrong" : ""} ${isAnswer ? "answer" : ""}`, style: place, title: words }, room > 18 || !wrong ? (wrong ? "≠ " : "") + text : text);
  }
}

// A story with its chart, if it could be read; else its text alone. tale: the text, element: the chart.
class ToldStory {
  constructor({ lines, picture }) {
    this.chart = picture ? new StoryChart(picture) : null;
    this.tale = this.chart?.tale ?? make("div", { class: "tale-text" }, lines.map((line) => make("p", {}, line)));
    this.element = this.chart?.element ?? make("p", { class: "faint" }, "This story is told in free words, so that who believes what is not drawn.");
  }

  ask(spot) {
    this.chart?.ask(spot);
  }
}

const letterOf = (value) => (value < 26 ? String.fromCharCode(97 + value) : String(value));

const holderOf = ({ who, about }) => (who === null ? "What is so" : about === null ? `${who} believes` : `${who} thinks that ${about} believes`);

const valueIn = (value, { values }) => (value === null ? "nothing of it" : values[value][1]);

// A row as a sentence.
const inWordsOf = (row, subject) => `${holderOf(row)}: ${runsOf(row).map(({ value, wrong, from }) => `${from ? `from action ${from} ` : ""}${valueIn(value, subject)}${wrong ? " (wrong)" : ""}`).join("; ")}`;

// The first moment since which a row has had the value that it has at a moment.
function sinceOf({ values }, moment) {
  let since = moment;
  while (since > 0 && values[since - 1] === values[moment]) since -= 1;
  return since;
}

// A row's value at a moment as a sentence, and since which action it has had it.
function inSentence(row, subject, moment) {
  const since = sinceOf(row, moment);
  const when = since ? `Since action ${since}` : "From the beginning";
  const [truth] = subject.rows;
  const beside = row !== truth && truth.values[moment] !== row.values[moment] ? ` What is so: ${valueIn(truth.values[moment], subject)}.` : "";
  const name = row.who === null ? (moment < row.values.length - 1 ? `After action ${moment} it is so: ` : `${when} it is so: `) : `${when}, ${holderOf(row)}: `;
  return [make("b", {}, name), `${valueIn(row.values[moment], subject)}.${beside}`];
}

// A question with its choices, the right one and those that readers gave. given: {by, given, right} of each reader.
function questionCard({ text, order, property, choices, answer, accepted, interesting, false_belief: isFalse }, given) {
  const kinds = [order === null ? null : order === 0 ? "about the world" : order === 1 ? "first order: what someone believes" : "second order: what someone thinks that another believes", property, interesting ? "interesting: the answer depends on whom one asks about" : null, isFalse ? "false belief: the answer is not what is so" : null];
  const others = given.filter((one) => !choices.includes(one.given));
  return make("div", { class: "asked-card" }, make("p", { class: "words" }, text),
    make("ul", { class: "choices" }, choices.map((choice) => {
      const by = given.filter((one) => one.given === choice);
      return make("li", { class: choice === answer ? "is-right" : by.length ? "is-wrong" : null }, make("span", { "aria-hidden": "true" }, choice === answer ? "✓" : by.length ? "✗" : "·"), " ", choice, choice === answer ? make("small", {}, "right") : null, by.map((one) => make("small", {}, `answered${one.by ? ` by ${one.by}` : ""}`)));
    }), others.map((one) => make("li", { class: one.right ? "is-right" : "is-wrong" }, make("span", { "aria-hidden": "true" }, one.right ? "✓" : "✗"), " ", one.given || "no answer", make("small", {}, `answered${one.by ? ` by ${one.by}` : ""}, ${one.right ? "which is right" : "which is wrong"}`)))),
    make("p", { class: "faint" }, [...kinds].filter(Boolean).join(" · "), accepted?.length ? ` · accepted: ${accepted.map((form) => `“${form}”`).join(", ")}` : ""));
}
