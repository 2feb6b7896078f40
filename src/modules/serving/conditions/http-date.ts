const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const IMF = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const RFC850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([\d ]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * Parses an HTTP-date in one of its three forms (RFC 9110 section 5.6.7). Returns milliseconds since 1970, or null for
 * any other text. `Date.parse` would accept too much.
 */
export function httpDate(field: string): number | null {
  const text = field.trim();
  const imf = IMF.exec(text);
  if (imf) return time(imf[3], imf[2], imf[1], imf.slice(4));
  const asctime = ASCTIME.exec(text);
  if (asctime) return time(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  const old = RFC850.exec(text);
  return old ? time(String(fullYear(Number(old[3]))), old[2], old[1], old.slice(4)) : null;
}

/** A two-digit year that would be more than 50 years in the future is the most recent year with these digits. */
function fullYear(two: number): number {
  const now = new Date().getUTCFullYear();
  const year = now - (now % 100) + two;
  return year > now + 50 ? year - 100 : year;
}

function time(year = '', month = '', day = '', [hours, minutes, seconds]: readonly string[]): number | null {
  const [y, m, d] = [Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day)];
  const [h, min, s] = [Number(hours), Number(minutes), Number(seconds)];
  const lastOfMonth = new Date(Date.UTC(y, m + 1, 0)).getUTCDate();
  // Allows a leap second.
  if (m < 0 || d < 1 || d > lastOfMonth || h > 23 || min > 59 || s > 60) return null;
  return Date.UTC(y, m, d, h, min, s);
}
