"use strict";
// Text is added as text nodes only, so that no text of a model or a file is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

const draw = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// Rebuilds an element's children if `key`, which identifies what `build` returns, has changed.
const shown = new WeakMap();
function show(element, key, build) {
  const text = JSON.stringify(key);
  if (shown.get(element) === text) return;
  shown.set(element, text);
  element.replaceChildren(...[build()].flat(Infinity).filter(Boolean));
}

// Number(): the trace has numbers that are not finite as strings, e.g. "Infinity".
const number = (value, digits = 1) => Number(value).toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");

function signed(value, digits = 2) {
  const words = number(value, digits);
  return Number(words) > 0 ? `+${words}` : words;
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const spaced = (name) => name.replaceAll("_", " ");

// A button that selects a step.
const stepLink = (step, words) => make("button", { type: "button", class: "link", "data-step": step }, words ?? `step ${step.toLocaleString("en")}`);

// Scrolls a list, and nothing around it, to put an item in its middle, unless the item is wholly in sight.
function reveal(list, item) {
  if (!item) return;
  const [around, own] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (own.top < around.top || own.bottom > around.bottom) list.scrollTop += (own.top + own.bottom - around.top - around.bottom) / 2;
}

const isPlain = (value) => typeof value !== "object" || value === null;

// Any JSON value in one line.
const inWords = (value) => (typeof value === "string" ? spaced(value) : JSON.stringify(value));

const isMapping = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// Counts by name: rock 1, paper 2.
const isCounts = (value) => isMapping(value) && Object.keys(value).length > 0 && Object.values(value).every((item) => typeof item === "number");
function countsInWords(counts) {
  const known = viewer.kinds().filter((name) => name in counts);
  return [...new Set([...known, ...Object.keys(counts)])].map((name) => `${spaced(name)} ${counts[name]}`).join(", ");
}

// Any JSON value as lists: mappings as definition lists, counts and sequences of single values in one line. text: converts
// the texts. name: of the field that holds the value.
function tree(value, text = (words) => words, name = "") {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return value ? viewer.meanings[name] ?? "yes" : "no";
  if (isPlain(value)) return text(String(value));
  if (isCounts(value)) return text(countsInWords(value));
  if (!Object.keys(value).length) return "none";
  if (Array.isArray(value) && value.every((item) => isPlain(item) && !String(item).includes(","))) return text(value.map((item) => String(item ?? "–")).join(", "));
  if (Array.isArray(value)) return make("ol", { class: "tree" }, value.map((item) => make("li", {}, tree(item, text))));
  return make("dl", { class: "tree" }, Object.entries(value).map(([key, item]) => [make("dt", {}, text(spaced(key))), make("dd", {}, tree(item, text, key))]));
}
