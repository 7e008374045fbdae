// Live behaviour of the pages: updates, ticking clocks, logs that load when opened. The pages
// work without it; the reader then has to reload them.
"use strict";

// morph turns one tree into another and keeps the reader's state: focus, typed text, open
// details, scroll position.
function morph(have, want) {
  if (have.nodeType !== want.nodeType || have.nodeName !== want.nodeName) {
    have.replaceWith(want);
    return;
  }
  if (have.nodeType !== Node.ELEMENT_NODE) {
    if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
    return;
  }
  for (const { name } of [...have.attributes]) {
    if (!want.hasAttribute(name) && name !== "open") have.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (name !== "open" && have.getAttribute(name) !== value) have.setAttribute(name, value);
  }
  if (have.dataset && have.dataset.loaded) return;
  morphChildren(have, want);
}

function morphChildren(have, want) {
  const byID = new Map();
  for (const c of have.children) if (c.id) byID.set(c.id, c);
  let at = have.firstChild;
  for (const next of [...want.childNodes]) {
    const known = next.id && byID.get(next.id);
    if (known && known !== at) {
      have.insertBefore(known, at);
      at = known;
    }
    if (!at) {
      have.appendChild(next);
      continue;
    }
    const following = at.nextSibling;
    if (!known && at.id && at.id !== next.id) {
      have.insertBefore(next, at); // a new element before a known one
      continue;
    }
    morph(at, next);
    at = following;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function say(id, words) {
  const place = document.getElementById(id);
  if (place && place.textContent !== words) place.textContent = words;
}

// count shows how many questions wait, on every page.
function count(waiting) {
  const badge = document.getElementById("waiting");
  if (!badge) return;
  const before = Number(badge.firstChild.textContent);
  badge.firstChild.textContent = String(waiting);
  badge.hidden = waiting === 0;
  if (waiting > before) say("announce", waiting === 1 ? "A question waits for you." : waiting + " questions wait for you.");
}

function follow(content) {
  const source = new EventSource(content.dataset.live);
  source.onopen = () => say("connection", "page" in content.dataset ? "Live." : "");
  source.onerror = () => say("connection", "No connection to warp web; trying again.");
  source.addEventListener("questions", (e) => count(Number(e.data)));
  source.addEventListener("update", (e) => {
    const typing = content.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.nodeName);
    const parsed = new DOMParser().parseFromString("<div>" + e.data + "</div>", "text/html").body.firstChild;
    const focused = document.activeElement;
    morphChildren(content, parsed);
    if (typing && document.activeElement !== focused && content.contains(focused)) focused.focus();
    document.documentElement.dataset.updates = String(Number(document.documentElement.dataset.updates || 0) + 1);
    tick();
  });
  return source;
}

// followWhileSeen closes the connection while the page is hidden: browsers allow few per
// server, and six forgotten tabs would keep a seventh from loading.
function followWhileSeen(content) {
  let source = null;
  const check = () => {
    if (source) source.close();
    source = document.visibilityState === "hidden" ? null : follow(content);
  };
  document.addEventListener("visibilitychange", check);
  addEventListener("pagehide", () => source && source.close());
  addEventListener("pageshow", (e) => e.persisted && check());
  check();
}

function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + (s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
}

// Clocks: the time since a moment, and the time until one.
function tick() {
  for (const t of document.querySelectorAll("time[data-since], time[data-until]")) {
    const away = (Date.now() - Date.parse(t.dateTime)) / 1000;
    const words = t.hasAttribute("data-since") ? span(away) : away > 0 ? "time is up" : span(-away) + " left";
    if (t.textContent !== words) t.textContent = words;
  }
}

// Loads the content of a details element from a separate page.
async function unfold(e) {
  const fold = e.target;
  if (!fold.open || !fold.dataset.load || fold.dataset.loaded) return;
  const answer = await fetch(fold.dataset.load, { credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = page.getElementById("part");
  if (!answer.ok || !part) return; // the link inside it still leads there
  part.removeAttribute("id");
  fold.dataset.loaded = "yes";
  const old = fold.querySelector(":scope > .loads");
  if (old) old.replaceWith(part); else fold.append(part);
}

// Asks before a step that cannot be undone.
function confirmed(e) {
  const words = e.submitter && e.submitter.dataset.confirm;
  if (words && !confirm(words)) e.preventDefault();
}

const content = document.querySelector("[data-live]");
if (content && window.EventSource) followWhileSeen(content);
document.addEventListener("toggle", unfold, true);
document.addEventListener("submit", confirmed);
for (const box of document.querySelectorAll(".filters")) {
  box.addEventListener("change", () => box.requestSubmit());
}
tick();
setInterval(tick, 1000);
