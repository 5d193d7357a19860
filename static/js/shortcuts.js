// Keys for people who decide all day; dead inside fields, and off when the reader says so.

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  a: () => press('button[name="step"][value="approve"]'),
  r: () => press('button[name="step"][value="reject"]'),
  i: () => press('.areas a[href$="/"]'),
};
const STORED = "shortcuts";
const box = document.getElementById("shortcuts");

if (box) {
  box.checked = localStorage.getItem(STORED) !== "off";
  box.addEventListener("change", () => localStorage.setItem(STORED, box.checked ? "on" : "off"));
}

document.addEventListener("keydown", (event) => {
  if (!box?.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

function press(selector) {
  // Hidden ones belong to a step that is not taken.
  [...document.querySelectorAll(selector)].find((found) => found.checkVisibility())?.click();
}

function step(by) {
  const links = [...document.querySelectorAll(".row h2 a")];
  const next = links[links.indexOf(document.activeElement) + by];
  (next ?? (by > 0 ? links[0] : links.at(-1)))?.focus();
}
