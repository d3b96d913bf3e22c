// Formats of numbers and times.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const count = (n) => whole.format(n);

// some returns a number with the noun that it counts, singular or plural.
export const some = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

export const perSecond = (n) => (n >= 1000 ? count(Math.round(n)) : short.format(n)) + "/s";

export function bytes(n) {
  if (n < 1000) return some(n, "byte", "bytes");
  const units = ["kB", "MB", "GB", "TB"];
  let unit = -1;
  do {
    n /= 1000;
    unit++;
  } while (n >= 999.5 && unit < units.length - 1);
  return `${short.format(n)} ${units[unit]}`;
}

export function duration(seconds) {
  if (seconds < 0.95) return "< 1 s";
  for (const [unit, length, above] of [["s", 1, 100], ["min", 60, 100], ["h", 3600, 48], ["days", 86400, 730]]) {
    if (seconds / length < above) return `${Math.round(seconds / length)} ${unit}`;
  }
  return `${Math.round(seconds / 31557600)} years`;
}

// ago returns the time that has passed since a time.
export function ago(time, now = Date.now()) {
  const seconds = (now - new Date(time).getTime()) / 1000;
  return seconds < 2 ? "just now" : duration(seconds) + " ago";
}

// moment formats a date and time to the second, in UTC.
export const moment = (time) => new Date(time).toISOString().slice(0, 19).replace("T", " ") + " UTC";

// clock formats a time of day to the second, in UTC.
export const clock = (time) => new Date(time).toISOString().slice(11, 19) + " UTC";
