const EVERY = 300;
const $ = id => document.getElementById(id);
let asked = null; // the number of the question that is shown
let known = ""; // its text
let wantsSeveral = false; // answers to it

const send = content => fetch("answer", { method: "POST", body: JSON.stringify(content) }).then(look);

// Content is set as text, so that no word of another player is ever read as HTML.
function element(name, content) {
  const node = document.createElement(name);
  node.textContent = content;
  return node;
}

// A call is added to those before it; a name takes the place of what stands there, unless several are wanted.
function offer(text) {
  const before = $("answer").value.trim();
  $("answer").value = before && (wantsSeveral || /[(\[]/.test(text)) ? `${before}, ${text}` : text;
  $("answer").focus();
}

// A button for a call that has one form, a list for one that has several.
function choice(name, texts) {
  if (texts.length === 1) {
    const button = element("button", texts[0]);
    button.onclick = () => offer(texts[0]);
    return button;
  }
  const list = element("select", "");
  list.append(...[`${name} …`, ...texts].map(text => element("option", text)));
  list.setAttribute("aria-label", name);
  list.onchange = () => {
    offer(list.value);
    list.selectedIndex = 0;
  };
  return list;
}

// The sections of a prompt; those that were just shown word for word are closed.
function sections(text) {
  return text.split(/^(?=# )/m).map(part => {
    const [heading, ...lines] = part.split("\n");
    const section = element("details", "");
    section.append(element("summary", heading.replace("# ", "")), element("pre", lines.join("\n")));
    section.open = !known.includes(part);
    return section;
  });
}

function show(state) {
  const question = state.question;
  $("consent").hidden = state.agreed;
  $("game").hidden = !question;
  $("wait").hidden = !state.agreed || Boolean(question);
  if (!question || question.number <= asked) return; // a reply to an earlier look may come later
  asked = question.number;
  $("problem").textContent = question.problem;
  $("send").disabled = false;
  $("answer").focus({ preventScroll: true }); // the button that was pressed is gone, and the focus with it
  const again = question.seat === $("seat").textContent && question.text === known; // with the answer to mend
  if (question.problem && again) return;
  $("seat").textContent = question.seat;
  $("text").replaceChildren(...sections(question.text));
  known = question.text;
  wantsSeveral = question.wants_several;
  $("answer").value = "";
  $("offers").replaceChildren(...Object.entries(question.suggestions).map(([name, texts]) => choice(name, texts)));
  $("picture").hidden = !question.has_picture;
  if (question.has_picture) $("picture").src = `picture.png?${asked}`;
}

async function look() {
  try {
    const reply = await fetch("state.json");
    show(await reply.json());
  } catch {
    show({ agreed: true, question: null });
    $("wait").textContent = "The play is over; you may close this page.";
    clearInterval(looking);
  }
}

$("agree").onclick = () => send({ agreed: true });
$("send").onclick = () => {
  $("send").disabled = true;
  send({ number: asked, text: $("answer").value });
};
$("leave").onclick = () => {
  if (confirm("Stop playing? This game ends here and can't be taken up again.")) send({ leaves: true });
};
const looking = setInterval(look, EVERY);
look();
