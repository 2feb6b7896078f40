const PORT = '6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3}';
/** What a path may be made of (RFC 3986, `pchar`); a query has `/` and `?` too. */
const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[\\da-fA-F]{2}";

/** Written out and not parsed: what a parser mends (`127.1`, `0x7f000001`, backslashes, blanks) is not written so here. */
export const LOOPBACK_ADDRESS = new RegExp(
  `^http://(?:127\\.0\\.0\\.1|\\[::1\\]|localhost)(?::(?:${PORT}))?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?$`,
);

/** The parameters that we add ourselves: a terminal that took the first of two would take one that a stranger has put there. */
const OURS = ['code', 'state', 'error'];

/**
 * Whether a terminal on the person's own machine listens there (docs/interface/accounts.md, "Sign-in from a terminal";
 * RFC 8252 section 7.3): plain http, one of the three names of the machine to itself, letter for letter, any port and
 * path. Everything that a browser or a resolver might read as something else is refused, also what would still lead to
 * loopback.
 */
export function isLoopbackAddress(text: string): boolean {
  if (!LOOPBACK_ADDRESS.test(text)) return false;
  const { searchParams } = new URL(text);
  return OURS.every((name) => !searchParams.has(name));
}

/** A loopback address with parameters after its own, which stay as they were written. */
export const withParameters = (address: string, parameters: Readonly<Record<string, string>>) =>
  `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;

/** The port that a loopback address leads to. */
export const portOf = (address: string) => new URL(address).port || '80';
