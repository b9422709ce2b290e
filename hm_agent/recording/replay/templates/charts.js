// The value of every hypothesis about one player over the interactions with it, or whatever `viewer.tested` says.

const WIDE = 560, HIGH = 180, LEFT = 40, RIGHT = 12, TOP = 12, BOTTOM = 30;
const DASHES = [null, "6 3", "2 3", "8 3 2 3"];
const COLOURS = 8;

// The horizontal position of a test.
const acrossOf = (stream, place) => LEFT + ((WIDE - LEFT - RIGHT) * (place + 0.5)) / stream.length;

// One line for each hypothesis: its value after every test at which it was held, broken where it was not.
function linesOfStream(stream) {
  const lines = new Map();
  stream.forEach(({ step, beliefs }, place) => {
    for (const { words, value } of beliefs.hypotheses) {
      if (!lines.has(words)) lines.set(words, { words, points: [], place: lines.size });
      lines.get(words).points.push({ place, step, value, validated: beliefs.validated === words });
    }
  });
  return [...lines.values()];
}

function valueChart(stream, lines, threshold) {
  const values = lines.flatMap((line) => line.points.map((point) => point.value));
  const low = Math.min(-0.2, ...values), high = Math.max(0.2, (threshold ?? 0) * 1.1, ...values);
  const x = (place) => acrossOf(stream, place);
  const y = (value) => TOP + ((HIGH - TOP - BOTTOM) * (high - value)) / (high - low);
  const level = (value, name, words) => [draw("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value), class: name }), draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, words)];
  const every = Math.ceil(stream.length / 12);
  return draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Value of each hypothesis over the ${viewer.test}s; the list below has the same values` },
    level(0, "zero", "0"), threshold ? level(threshold, "threshold", number(threshold)) : null,
    stream.map((_, place) => (place % every === 0 ? draw("text", { x: x(place), y: HIGH - 12, "text-anchor": "middle" }, String(place + 1)) : null)),
    draw("line", { class: "now", y1: TOP, y2: HIGH - BOTTOM, x1: LEFT, x2: LEFT }),
    lines.map((line) => valueLine(line, x, y)));
}

function valueLine({ words, points, place }, x, y) {
  const paint = `--paint: var(--series-${place % COLOURS})`;
  const path = points.map((point, i) => `${i && points[i - 1].place === point.place - 1 ? "L" : "M"}${x(point.place).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  return draw("g", { class: "line", style: paint, "data-words": words },
    draw("path", { d: path, "stroke-dasharray": DASHES[Math.floor(place / COLOURS) % DASHES.length] }),
    points.map((point) => draw("circle", { cx: x(point.place), cy: y(point.value), r: point.validated ? 4.5 : 3, class: point.validated ? "point validated" : "point", "data-step": point.step, "data-value": point.value }, draw("title", {}, `${words}\nvalue ${signed(point.value)}${point.validated ? ", validated" : ""} at step ${point.step}`))));
}
