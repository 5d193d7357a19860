// Holds what arrives in the inbox until it is asked for, so that no row moves under the pointer.

import { localise } from "./times.js";

const rows = document.querySelector("[data-news]");
const link = document.getElementById("news");
const arrived = new Set();
// Shown or left out when the list was last asked for: no news any more.
const known = new Set();
const asked = new Set(pending().map((row) => row.id));

function pending() {
  return [...(rows?.querySelectorAll('[data-status="pending"]') ?? [])];
}

export function isNews(target) {
  return Boolean(rows) && target.startsWith(`#${rows.dataset.news}`) && !document.querySelector(target);
}

export function hold(target, isPending) {
  if (isPending && !known.has(target)) arrived.add(target);
  else arrived.delete(target);
  tell();
}

export function tell() {
  if (!rows) return;
  const waiting = new Set(pending().map((row) => row.id));
  const settled = [...asked].filter((id) => !waiting.has(id)).length;
  const parts = [arrived.size && `${arrived.size} new`, settled && `${settled} settled`].filter(Boolean);
  const text = parts.length ? `${parts.join(", ")} — show` : "";
  if (link.textContent !== text) link.textContent = text;
  link.hidden = !text;
  // Nothing is shown, so nothing can move.
  if (arrived.size && !rows.querySelector(".row")) show();
}

link?.addEventListener("click", (event) => {
  event.preventDefault();
  show();
});

async function show() {
  const shown = [...arrived];
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const list = response.ok && !response.redirected && fresh.getElementById(rows.id);
  if (!list) return location.reload();
  localise(list);
  rows.replaceChildren(...list.childNodes);
  for (const target of shown) {
    arrived.delete(target);
    known.add(target);
  }
  asked.clear();
  pending().forEach((row) => asked.add(row.id));
  tell();
  if (shown.length) rows.querySelector("a")?.focus({ preventScroll: true });
}
