"use strict";
// Elements are made with text nodes alone, so that no text of a model or a file is ever read as HTML.

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

// Builds an element's children anew if `key`, which stands for what `build` would make, has changed.
const shown = new WeakMap();
function show(element, key, build) {
  const text = JSON.stringify(key);
  if (shown.get(element) === text) return;
  shown.set(element, text);
  element.replaceChildren(...[build()].flat(Infinity).filter(Boolean));
}

// The trace writes numbers that are not finite as words.
const number = (value, digits = 1) => Number(value).toFixed(digits).replace("-", "−");

const signed = (value, digits = 2) => (value > 0 ? "+" : "") + number(value, digits);

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const spaced = (name) => name.replaceAll("_", " ");

// A button that leads to a step.
const stepLink = (step, words) => make("button", { type: "button", class: "link", "data-step": step }, words ?? `step ${step.toLocaleString("en")}`);

const isPlain = (value) => typeof value !== "object" || value === null;

// Any value in one line.
const inWords = (value) => (typeof value === "string" ? spaced(value) : JSON.stringify(value));

// Any value of JSON as lists: mappings as definition lists, sequences of single values in one line.
function tree(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (isPlain(value)) return String(value);
  const isList = Array.isArray(value);
  if (!Object.keys(value).length) return "none";
  if (isList && value.every(isPlain)) return value.map((item) => tree(item)).join(", ");
  if (isList) return make("ol", { class: "tree" }, value.map((item) => make("li", {}, tree(item))));
  return make("dl", { class: "tree" }, Object.entries(value).map(([name, item]) => [make("dt", {}, spaced(name)), make("dd", {}, tree(item))]));
}
