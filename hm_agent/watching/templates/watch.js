const EVERY = 2000;
const PARTS = ["finished", "failed", "cut", "running"];
const NAMES = { cut: "interrupted" }; // reports call those cut that --max_steps ended
const $ = id => document.getElementById(id);
const filled = new Map(); // the rows that each table shows, as JSON
const number = (value, digits = 0) => value === null || value === undefined ? "unknown"
  : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "\u2212");

const noun = (count, word) => ` ${word}${count === 1 ? "" : "s"}`;

// Content is set as text, so that no name is ever read as HTML.
function element(name, content = "", kind = "") {
  const node = document.createElement(name);
  if (kind) node.className = kind;
  if (Array.isArray(content)) node.append(...content);
  else node.textContent = content;
  return node;
}

// Lets a name break after its underscores rather than within its words.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, place) => place ? [element("wbr"), part] : [part]);
}

function anchors(links) {
  return links.map(link => {
    const anchor = element("a", link.name);
    anchor.href = "/episode/" + link.place.split("/").map(encodeURIComponent).join("/") + "/" + link.file;
    return anchor;
  });
}

// Replaces a table's rows if they have changed; a link that has the focus keeps it.
function fill(table, rows, cells) {
  const content = JSON.stringify(rows);
  if (filled.get(table) === content) return;
  filled.set(table, content);
  const address = $(table).contains(document.activeElement) ? document.activeElement.href : null;
  $(table).replaceChildren(...rows.map(row => {
    const line = element("tr");
    line.append(...cells(row));
    return line;
  }));
  $(table).closest("section").hidden = rows.length === 0;
  if (address) [...$(table).querySelectorAll("a")].find(link => link.href === address)?.focus();
}

function head(row) {
  const header = element("th", breakable(row.scenario), "text");
  header.scope = "row";
  return [header, element("td", breakable(row.agent), "text"), element("td", breakable(row.model), "text")];
}

function show(state) {
  const done = state.counts.finished + state.counts.failed + state.counts.cut;
  const known = done + state.counts.running;
  const all = Math.max(state.planned ?? 0, known);
  $("lead").textContent = state.planned === null ? `${number(known)}${noun(known, "episode")} so far`
    : `${number(done)} of ${number(all)}${noun(all, "episode")} ${all === 1 ? "has" : "have"} ended`;
  $("bar").replaceChildren(...PARTS.map(part => {
    const span = element("span", "", part + "-part");
    span.style.flex = `0 0 ${all ? 100 * state.counts[part] / all : 0}%`;
    return span;
  }));
  $("bar").setAttribute("aria-valuenow", String(all ? Math.round(100 * done / all) : 0));
  const counted = PARTS.map(part => element("li", [element("i", "", part + "-part"), element("b", number(state.counts[part])), ` ${NAMES[part] ?? part}`]));
  if (all > known) counted.push(element("li", [element("b", number(all - known)), " to come"]));
  if (state.unreadable) counted.push(element("li", `${number(state.unreadable)} unreadable`));
  $("counts").replaceChildren(...counted);
  const used = state.usage;
  $("usage").replaceChildren(
    element("li", [element("b", number(used.questions)), noun(used.questions, "question")]),
    ...(used.unanswered ? [element("li", [element("b", number(used.unanswered)), " unanswered"])] : []),
    element("li", [element("b", number(used.calls)), noun(used.calls, "call")]),
    element("li", [element("b", number(used.tokens)), " tokens in ended episodes"]),
    element("li", [element("b", used.cost === null ? "unknown" : "$" + number(used.cost, 4)), " paid"]),
  );
  fill("running", state.running, row => [
    ...head(row),
    element("td", row.episode),
    element("td", [number(row.step), ...(row.silent >= 60 ? [element("small", `silent for ${number(row.silent)} s`)] : [])]),
    element("td", number(row.reward, 1)),
    element("td", number(row.questions)),
    element("td", row.cost === null ? "unknown" : number(row.cost, 4)),
    element("td", row.latest, "text latest"),
  ]);
  fill("groups", state.groups, row => [
    ...head(row),
    ...["finished", "running", "failed", "cut"].map(part => element("td", number(row[part]))),
    element("td", [row.mean === null ? "-" : number(row.mean, 2), ...(row.unit ? [element("small", row.unit)] : [])]),
  ]);
  fill("ended", state.ended, row => [
    ...head(row),
    element("td", number(row.episode)),
    element("td", [element("b", row.status), ...(row.reason ? [element("small", row.reason)] : [])], row.is_finished ? "text status" : "text status failed"),
    element("td", number(row.steps)),
    element("td", row.value === null ? "-" : number(row.value, 2)),
    element("td", number(row.calls)),
    element("td", anchors(row.links), "text links"),
  ]);
}

// Screen readers announce every change of this element, so it is set only if the words differ.
function say(words) {
  if ($("gone").textContent !== words) $("gone").textContent = words;
}

async function update() {
  try {
    const answer = await fetch("/state.json", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    show(await answer.json());
    $("when").textContent = `updated ${new Date().toLocaleTimeString("en-GB")}`;
    say("");
  } catch {
    say("No answer: the watcher has ended or cannot read the folder. This page shows the last known state.");
  }
  setTimeout(update, EVERY);
}
update();
