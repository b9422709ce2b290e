// A list of items with filters, and a view of one item at a time. What is shown depends on the page's address alone, so
// that it can be linked and the browser's back button works. A page extends `Listing` and overrides the methods that
// depend on its items; it needs the replay page's dom.js and film.js.

const PORTION = 60; // items that are added to the list at a time
const PAUSE = 200; // milliseconds without a key before a search starts: browsers limit how often an address may change

const fromAddress = () => new URLSearchParams(location.hash.slice(1));

// This address with other values; null removes one.
function addressWith(changes) {
  const said = fromAddress();
  for (const [name, value] of Object.entries(changes)) value === null || value === "" ? said.delete(name) : said.set(name, value);
  return `#${said}`;
}

class Listing {
  // all: the items; each has `words`, its searchable text in lower case. chunk: how many items are packed together.
  constructor(all, chunk) {
    Object.assign(this, { all, chunk, details: new Map(), shown: PORTION, listed: null, left: null });
  }

  begin() {
    this.filters = Object.fromEntries(this.choices());
    byId("filters").append(...Object.values(this.filters).map(({ element }) => element));
    byId("more").addEventListener("click", () => this.more());
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.press(event));
    this.follow();
    byId("main").hidden = false;
    byId("notice").hidden = true;
  }

  // Pairs of a name in the address and a filter, as `select` and `search` make them.
  choices() {
    return [];
  }

  // The distinct values of a property of the items, sorted, without empty ones.
  values(of) {
    return [...new Set(this.all.map(of))].filter((value) => value !== null && value !== "").sort();
  }

  // options: labels by value. fits: (item, value) => true if the item is to be listed.
  select(name, label, options, fits) {
    const input = make("select", { onchange: () => this.ask({ [name]: input.value }) }, make("option", { value: "" }, "any"), Object.entries(options).map(([value, words]) => make("option", { value }, words)));
    return [name, { input, fits, element: make("label", {}, `${label} `, input) }];
  }

  search(placeholder) {
    const words = make("input", { type: "search", id: "search", placeholder, autocomplete: "off", spellcheck: "false", oninput: () => this.type() });
    return ["words", { input: words, element: make("label", { class: "words-filter" }, "with ", words), fits: null }];
  }

  type() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.ask({}), PAUSE);
  }

  // Applies changes of some filters, together with the words typed so far, and lists the matching items.
  ask(changes) {
    clearTimeout(this.typing);
    const words = this.filters.words?.input.value;
    history.replaceState(null, "", addressWith({ ...(words === undefined ? {} : { words }), ...changes }));
    this.list();
  }

  // Changes that remove from an address what selects a single item.
  get alone() {
    return {};
  }

  // The single item that an address selects; null for the list.
  wantedBy(said) {
    return null;
  }

  follow() {
    const said = fromAddress(), wanted = this.wantedBy(said), wasListed = !byId("list").hidden;
    clearTimeout(this.typing);
    if (wanted !== null && wasListed) this.left = { top: scrollY, link: document.activeElement };
    byId("list").hidden = wanted !== null;
    byId("one").hidden = wanted === null;
    this.wanted = wanted;
    if (wanted !== null) this.open(wanted, said, wasListed);
    else if (wasListed || addressWith(this.alone) !== this.listed) this.list();
    else this.comeBack();
  }

  // Shows the list as it was left.
  comeBack() {
    scrollTo(0, this.left.top);
    if (this.left.link.isConnected) this.left.link.focus({ preventScroll: true });
  }

  list() {
    const said = fromAddress();
    this.listed = addressWith(this.alone);
    for (const [name, { input }] of Object.entries(this.filters)) if (input.value !== (said.get(name) ?? "")) input.value = said.get(name) ?? "";
    const sought = (said.get("words") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const asked = Object.entries(this.filters).filter(([name, { fits }]) => fits && said.get(name));
    this.fitting = this.all.filter((one) => asked.every(([name, { fits }]) => fits(one, said.get(name))) && sought.every((word) => one.words.includes(word)));
    this.shown = PORTION;
    byId("count").textContent = this.count();
    byId("above").replaceChildren(...this.above());
    byId("found").replaceChildren();
    this.fill(0);
  }

  // The elements above the list, e.g. a summary of the matching items.
  above() {
    return [];
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

  // The packed details of the item with a number. kind: the name of the chunks.
  async detailsOf(kind, number) {
    const name = `${kind}-${Math.floor(number / this.chunk)}`;
    if (!this.details.has(name)) this.details.set(name, unpacked(name).then((bytes) => JSON.parse(new TextDecoder().decode(bytes))));
    return (await this.details.get(name))[number % this.chunk];
  }

  // Shows a single item: links to others, its title, and its parts.
  present(ways, title, ...parts) {
    byId("one").replaceChildren(make("nav", { class: "ways", "aria-label": "Elsewhere" }, ways), make("h2", { class: "one-title", tabindex: -1 }, title), ...parts);
    scrollTo(0, 0);
    byId("one").querySelector(".one-title").focus({ preventScroll: true });
  }

  leave() {
    location.hash = addressWith(this.alone);
  }

  press(event) {
    if (byId("one").hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    if (event.key === "Escape") this.leave();
    else this.pressed(event);
  }

  pressed(event) {}
}

// Starts a page: unpacks its items, the chunk `set`, and builds its listing.
function browse(listingOf) {
  unpacked("set").then((bytes) => {
    window.browser = listingOf(JSON.parse(new TextDecoder().decode(bytes)), Number(document.body.dataset.chunk));
    browser.begin();
  }).catch((error) => {
    byId("notice").hidden = false;
    byId("notice").textContent = `This page could not be unpacked: ${error.message}. It needs a browser of 2023 or later.`;
    throw error;
  });
}
