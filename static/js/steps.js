// Takes the second step of a decision in place; without scripts the same buttons load the page.

document.addEventListener("click", (event) => {
  const button = event.target.closest('button[name="step"]');
  const back = event.target.closest("[data-back]");
  const place = (button ?? back)?.closest("[data-step]");
  // A question that arrived after the page has no form here: let its own page open.
  if (!place || (button && !document.getElementById(button.dataset.form))) return;
  event.preventDefault();
  take(place, button?.value ?? "");
});

document.addEventListener("keydown", (event) => {
  // A key held down on Approve… must not go on to confirm.
  if (event.repeat && event.key === "Enter" && event.target.closest("button")) {
    event.preventDefault();
  }
  const place = event.target.closest("[data-step]");
  if (event.key === "Escape" && place?.dataset.step) take(place, "");
});

for (const place of document.querySelectorAll("[data-step]")) prepare(place);

function take(place, step) {
  const before = place.dataset.step;
  place.dataset.step = step;
  prepare(place);
  remember(place, step);
  focusable(place, step || before)?.focus();
}

function prepare(place) {
  const reason = place.querySelector('[name="reason_code"]');
  if (reason) reason.required = place.dataset.step === "reject";
}

function remember(place, step) {
  if (!document.querySelector(".approval-page")) return;
  const url = new URL(location.href);
  url.search = step ? `?step=${step}` : "";
  history.replaceState(null, "", url);
}

function focusable(place, step) {
  if (!place.dataset.step) return place.querySelector(`button[name="step"][value="${step}"]`);
  return place.querySelector(
    { approve: ".confirm-question", reject: '[name="reason_code"]', desk: due(place) }[step] ?? '[name="reason"]',
  );
}

// A desk holds a form for either of its commands, and shows the one that is due.
function due(place) {
  const form = place.querySelector('[data-settle="yes"]') ? ".settling" : ".observing";
  return `${form} [name="evidence"]`;
}

// One form, one decision: a second click while the first is on its way sends nothing.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});

addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
