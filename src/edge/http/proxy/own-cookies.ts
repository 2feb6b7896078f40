/** Names of the service's own cookies. They identify visitors, and site servers must not read or set them. */
const OURS = /^(?:__[a-z-]{1,20}-)?stele_/i;
const MAY_BE_OURS = /stele_/i;

/** Removes the service's own cookies from a `cookie` field. Returns an empty string if no others are left. */
export function withoutOwnCookies(value: string): string {
  if (!MAY_BE_OURS.test(value)) return value;
  return value
    .split(';')
    .map(trimmed)
    .filter((pair) => pair !== '' && !OURS.test(pair))
    .join('; ');
}

/**
 * Reports whether a server may set this cookie: it has a name, applies only to the server’s own host, and does not look
 * like the service's cookies. A cookie without a name is sent as its bare value, which can imitate any other cookie.
 */
export function canSetCookie(value: string): boolean {
  const [pair = '', ...attributes] = value.split(';');
  const equals = pair.indexOf('=');
  const name = equals < 0 ? '' : trimmed(pair.slice(0, equals));
  if (name === '' || OURS.test(name)) return false;
  return !attributes.some((attribute) => trimmed(attribute.split('=', 1)[0] ?? '').toLowerCase() === 'domain');
}

/** Trims by index, because a regular expression for both ends would take quadratic time on long runs of white space. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
