const PORT = '6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3}';
/** Characters allowed in a path (RFC 3986, `pchar`). A query also allows `/` and `?`. */
const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[\\da-fA-F]{2}";

/** Matches the text of a URL as written. A URL parser would normalize `127.1`, `0x7f000001`, backslashes and blanks. */
export const LOOPBACK_ADDRESS = new RegExp(
  `^http://(?:127\\.0\\.0\\.1|\\[::1\\]|localhost)(?::(?:${PORT}))?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?$`,
);

/**
 * Parameters that this service adds to the terminal's address. An address that already contains one of them is invalid:
 * a terminal that reads only the first of two values would read one chosen by a stranger.
 */
const OURS = ['code', 'state', 'error'];

/**
 * Reports whether a terminal on the user's own machine can listen at this address (docs/interface/accounts.md, "Sign-in
 * from a terminal"; RFC 8252 section 7.3). The address must use plain HTTP and one of the three loopback names in
 * exactly this spelling; any port and path are allowed. Anything that a browser or resolver might interpret differently
 * is rejected.
 */
export function isLoopbackAddress(text: string): boolean {
  if (!LOOPBACK_ADDRESS.test(text)) return false;
  const { searchParams } = new URL(text);
  return OURS.every((name) => !searchParams.has(name));
}

/**
 * Adds parameters to the terminal's address. Parameters that the address already has stay exactly as they were written.
 */
export const withParameters = (address: string, parameters: Readonly<Record<string, string>>) =>
  `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;

export const parseLoopbackPort = (address: string) => new URL(address).port || '80';
