// Writes moments in the reader's zone and counts down to deadlines, by the server's clock.

const page = document.documentElement.dataset;
const started = performance.now();
const serverNow = Date.parse(page.now) || Date.now();
const zone = page.zone ? { timeZone: page.zone } : {};

const DAY = new Intl.DateTimeFormat(undefined, { ...zone, dateStyle: "short" });
const MOMENT = new Intl.DateTimeFormat(undefined, {
  ...zone, hourCycle: "h23", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
});
const CLOCK = new Intl.DateTimeFormat(undefined, {
  ...zone, hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit",
});

// Not Date.now(): the reader's clock may be wrong, and may be set while the page is open.
export const now = () => serverNow + performance.now() - started;

const WRITERS = {
  moment: (at) => (DAY.format(at) === DAY.format(now()) ? CLOCK : MOMENT).format(at),
  clock: (at) => (DAY.format(at) === DAY.format(now()) ? CLOCK : MOMENT).format(at),
  countdown: (at) => left(at - now()),
};

function left(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds === 0) return "time is over";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} days left`;
  if (hours > 0) return `${hours} h ${minutes} min left`;
  if (minutes >= 10) return `${minutes} min left`;
  return `${minutes}:${String(seconds % 60).padStart(2, "0")} left`;
}

export function localise(root, kinds = "[data-time]") {
  for (const time of root.querySelectorAll(kinds)) {
    const text = WRITERS[time.dataset.time](new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

localise(document);
setInterval(() => localise(document, '[data-time="countdown"]'), 1000);

// Before a frame is morphed in, so that nothing flickers from one zone to the other.
document.addEventListener("htmx:before:swap", ({ detail }) => {
  for (const { fragment } of detail.tasks) localise(fragment);
});
