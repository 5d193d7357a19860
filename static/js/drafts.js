// Keeps a half-typed note and a chosen reason through a reload, for this tab, person and digest.

const PREFIX = `draft:${document.body.dataset.viewer}:`;

for (const form of document.querySelectorAll("[data-draft]")) keep(form, PREFIX + form.dataset.draft);
forgetSettled();
document.querySelector('form[action$="/sign-out/"]')?.addEventListener("submit", forgetAll);

function keep(form, key) {
  restore(form, JSON.parse(sessionStorage.getItem(key) ?? "{}"));
  form.addEventListener("input", () => {
    const { note, reason_code: reason } = form.elements;
    sessionStorage.setItem(key, JSON.stringify({ note: note.value, reason_code: reason.value }));
  });
}

function restore(form, draft) {
  for (const [name, value] of Object.entries(draft)) {
    // What the server filled in comes from the receipt, and is newer.
    if (!form.elements[name].value) form.elements[name].value = value;
  }
}

function forgetSettled() {
  for (const bar of document.querySelectorAll('.bar[data-open="no"]')) {
    forget(`${PREFIX}${bar.id.replace("bar-", "")}:`);
  }
}

function forgetAll() {
  forget("draft:");
}

function forget(start) {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(start)) sessionStorage.removeItem(key);
  }
}
