// Drawings that Python describes as shapes (recording/shapes.py), as SVG.

const SHAPES = {
  box: ([x, y, width, height, rx]) => ["rect", { x, y, width, height, rx }],
  disc: ([cx, cy, r]) => ["circle", { cx, cy, r }],
  line: ([x1, y1, x2, y2]) => ["line", { x1, y1, x2, y2 }],
  polygon: (points) => ["polygon", { points: points.join(" ") }],
  text: ([x, y, size], anchor) => ["text", { x, y, "font-size": size, class: "shape-text", "text-anchor": anchor }],
};

// The CSS value of a drawing's colour.
const paintOf = (colour) => (colour === null ? "none" : `var(--${colour.replace("agent", "series")})`);

const drawShape = ([kind, numbers, fill, stroke, width, opacity, words, anchor = "middle", title = ""]) => {
  const [tag, attributes] = SHAPES[kind](numbers, anchor);
  return draw(tag, { ...attributes, style: `fill:${paintOf(fill)};stroke:${paintOf(stroke)};stroke-width:${width};opacity:${opacity}` }, title ? draw("title", {}, title) : null, words);
};
