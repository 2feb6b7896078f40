/** Cookies of the service’s own, with whatever prefix: they say who a visitor is, and are no program’s to read or set. */
const OURS = /^(?:__[a-z-]{1,20}-)?stele_/i;
const MAY_BE_OURS = /stele_/i;

/** A `cookie` field without the cookies of the service; empty where nothing is left. */
export function withoutOwnCookies(value: string): string {
  if (!MAY_BE_OURS.test(value)) return value;
  return value
    .split(';')
    .map(trimmed)
    .filter((pair) => pair !== '' && !OURS.test(pair))
    .join('; ');
}

/**
 * Whether a program may set this cookie: one with a name, on its own host alone, and none that the service may take for
 * its own. Browsers send a cookie without a name as its bare value, which then reads as any cookie at all.
 */
export function canSetCookie(value: string): boolean {
  const [pair = '', ...attributes] = value.split(';');
  const equals = pair.indexOf('=');
  const name = equals < 0 ? '' : trimmed(pair.slice(0, equals));
  if (name === '' || OURS.test(name)) return false;
  return !attributes.some((attribute) => trimmed(attribute.split('=', 1)[0] ?? '').toLowerCase() === 'domain');
}

/** By index: an expression for both ends takes time by the square of the blanks that a stranger sends. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
