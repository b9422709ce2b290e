"use strict";
// Elements are made with text nodes alone: nothing that a model or a file says is ever read as HTML.

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

// Shows anew only what has changed: `key` stands for the content that `build` would make.
const shown = new WeakMap();
function show(element, key, build) {
  const text = JSON.stringify(key);
  if (shown.get(element) === text) return;
  shown.set(element, text);
  element.replaceChildren(...[build()].flat(Infinity).filter(Boolean));
}

const number = (value, digits = 1) => value.toFixed(digits).replace("-", "−");

const signed = (value, digits = 2) => (value > 0 ? "+" : "") + number(value, digits);

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const spaced = (name) => name.replaceAll("_", " ");

// A button that leads to a step.
const stepLink = (step, words) => make("button", { type: "button", class: "link", "data-step": step }, words ?? `step ${step.toLocaleString("en")}`);
