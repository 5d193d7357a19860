// Keeps an open page current: takes frames in, drops stale ones, and notices when none come.

import { hold, isNews, tell } from "./news.js";

const SILENCE = 45_000;
const REFUSED = { 4401: "Signed out: reload", 4403: "No role here: reload", 4404: "Gone: reload" };

const state = document.getElementById("live-state");
const shown = new Map();
let heard = performance.now();
let wasRefused = false;

document.addEventListener("htmx:ws:before:message:incoming", ({ detail }) => {
  heard = performance.now();
  const frame = JSON.parse(detail.message.data);
  if (frame.kind === "heartbeat") detail.cancelled = compare(frame.positions);
  else if (frame.kind === "fragment") detail.cancelled = !take(frame, detail.message);
  else detail.cancelled = true;
});

document.addEventListener("htmx:ws:after:message:incoming", () => {
  tell();
  retitle();
});

document.addEventListener("htmx:ws:after:connection", () => {
  heard = performance.now();
  say("live", "Live");
});

document.addEventListener("htmx:ws:close", ({ detail }) => {
  wasRefused = detail.code in REFUSED;
  if (wasRefused) say("closed", REFUSED[detail.code]);
  else if (detail.code !== null) say("lost", "Reconnecting…");
});

// A frame that could not be put in place may not be the last word: read everything again.
document.addEventListener("htmx:ws:error", () => say("lost", "Reconnecting…"));
addEventListener("online", reconnect);
addEventListener("offline", () => say("lost", "Offline"));
setInterval(() => {
  if (performance.now() - heard > SILENCE) reconnect();
}, 5_000);

// Whether the frame shall be put in; where its target is not here yet, tell where to append it.
function take(frame, message) {
  noteShown(frame.run, frame.position);
  const target = document.querySelector(frame.target);
  if (target) {
    const isSameRun = !frame.run || !target.dataset.run || target.dataset.run === frame.run;
    return !(isSameRun && frame.position < Number(target.dataset.position));
  }
  if (isNews(frame.target)) {
    hold(frame.target, frame.content.includes('data-status="pending"'));
    retitle();
    return false;
  }
  const list = listFor(frame.target);
  if (!list) return false;
  const region = list.closest("[data-position]");
  if (region) region.dataset.position = frame.position;
  message.data = JSON.stringify({ ...frame, target: `#${list.id}`, swap: "beforeend" });
  return true;
}

function listFor(target) {
  const lists = [...document.querySelectorAll("[data-append]")];
  return lists.find((list) => target.startsWith(`#${list.dataset.append}`));
}

function noteShown(run, position) {
  if (run) shown.set(run, Math.max(position, shown.get(run) ?? 0));
}

// One reconnect for each position that was missed, however often it is reported.
function compare(positions) {
  let isBehind = false;
  for (const [run, position] of Object.entries(positions)) {
    isBehind ||= shown.has(run) && position > shown.get(run);
    noteShown(run, position);
  }
  if (isBehind) reconnect();
  return true;
}

// An unplugged network never closes a socket; a new element opens a new one at once.
function reconnect() {
  const live = document.getElementById("live");
  if (!live || wasRefused) return;
  heard = performance.now();
  say("lost", "Reconnecting…");
  const copy = document.createElement("div");
  copy.id = live.id;
  copy.hidden = true;
  copy.setAttribute("hx-ws:connect", live.getAttribute("hx-ws:connect"));
  htmx.swap({ sourceElement: live, target: live, swap: "outerHTML", text: copy.outerHTML });
}

function say(name, words) {
  if (!state || state.dataset.state === name) return;
  state.dataset.state = name;
  state.textContent = words;
}

function retitle() {
  const waiting = Number(document.getElementById("waiting")?.dataset.waiting ?? 0);
  const rest = document.title.replace(/^\(\d+\) /, "");
  document.title = waiting ? `(${waiting}) ${rest}` : rest;
}
