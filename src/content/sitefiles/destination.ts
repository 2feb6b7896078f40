import { nfc } from '../../kernel/nfc.js';
import { type Captures, isProblem, NOT_UTF8, type PatternProblem } from './path-pattern.js';
import { MAX_LINE_LENGTH, MAX_PLACEHOLDERS } from './site-file-limits.js';
import { filled, hasTooManyPlaceholders, type PathTemplate, template } from './template.js';

export type RuleDestination = {
  /** Scheme and host of another site, without a trailing slash. Empty if the destination is within this site. */
  readonly origin: string;
  /** Path with a leading slash. `page` is the same path in decoded form, which identifies a file of the site. */
  readonly path: PathTemplate;
  readonly page: PathTemplate;
  /** Query string with its question mark. Empty if there is none. */
  readonly query: PathTemplate;
  /** Fragment with its number sign. Empty if there is none. */
  readonly fragment: PathTemplate;
};

/** Maximum length of scheme, host and port. A host name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 270;

const ORIGIN = /^https?:\/\/[^/?#]*/i;

export const looksLikeDestination = (token: string) => token.startsWith('/') || ORIGIN.test(token);

/** Parses a rule’s destination: a path from the root of the site, or a URL of another host. */
export function destination(token: string, names: readonly string[]): RuleDestination | PatternProblem {
  if (token.includes('\ufffd')) return { problem: NOT_UTF8 };
  if (token.startsWith('//'))
    return { problem: 'the destination starts with // and has no scheme; use https:// or a single slash' };
  const origin = ORIGIN.exec(token)?.[0] ?? '';
  if (origin !== '') {
    const fault = originFault(origin);
    if (fault) return fault;
  }
  const rest = token.slice(origin.length);
  const number = rest.indexOf('#');
  const fragment = number < 0 ? '' : rest.slice(number);
  const address = number < 0 ? rest : rest.slice(0, number);
  const mark = address.indexOf('?');
  const query = mark < 0 ? '' : address.slice(mark);
  const path = (mark < 0 ? address : address.slice(0, mark)) || '/';
  if (hasTooManyPlaceholders(template(rest, names)))
    return { problem: `the destination has more than ${MAX_PLACEHOLDERS} placeholders` };
  const page = decodedParts(template(path, names));
  if (isProblem(page)) return page;
  const parts = (text: string) => template(encodedText(text), names);
  return { origin, path: parts(path), page, query: parts(query), fragment: parts(fragment) };
}

/** Returns the path of the file that is shown for a rule, without a leading slash. */
export const fillPagePath = ({ page }: RuleDestination, captures: Captures): string =>
  filled(page, captures, (captured) => captured).replace(/^\/+/, '');

/**
 * Returns the URL that visitors are redirected to. `prefix` is placed before all paths of the site, and ends in a
 * slash. `requestQuery` is empty or starts with a question mark. It is used if the rule has no query.
 */
export function fillLocation(to: RuleDestination, captures: Captures, prefix: string, requestQuery: string): string {
  const path = filled(to.path, captures, encodedPath);
  const query = to.query.length === 0 ? requestQuery : filled(to.query, captures, encoded);
  const fragment = filled(to.fragment, captures, encodedPath);
  // Collapses slashes. Placeholders contain text that visitors choose, and `//` would lead to another host.
  const within = to.origin === '' ? `${prefix}${path.replace(/\/{2,}/g, '/').slice(1)}` : `${to.origin}${path}`;
  return `${within}${query}${fragment}`;
}

export const encodedPath = (path: string) =>
  IN_PATHS.reduce((text, [escaped, plain]) => text.replaceAll(escaped, plain), encoded(path));

/** The slash, and characters that encodeURIComponent escapes although paths can contain them (RFC 3986 section 3.3). */
const IN_PATHS = [...'/:@$&+,;='].map((plain) => [encodeURIComponent(plain), plain] as const);

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** Escapes the characters of a URL that are not allowed in a header. */
const encodedText = (text: string) =>
  text.toWellFormed().replace(/[^\x21-\x7e]+|\\/g, (other) => encodeURIComponent(other));

function originFault(origin: string): PatternProblem | null {
  if (/:[A-Za-z]/.test(origin.slice(origin.indexOf('//') + 2)))
    return { problem: 'the host of a destination must not contain placeholders' };
  // Checks the length first: URL parsing takes time quadratic in the number of combining marks in a host name.
  if (origin.length > MAX_ORIGIN_LENGTH || origin.includes('@') || !URL.canParse(origin))
    return { problem: 'the destination is not a valid URL' };
  return null;
}

function decodedParts(parts: PathTemplate): PathTemplate | PatternProblem {
  const decoded = parts.map((part) => (typeof part === 'string' ? decodedPart(part) : part));
  if (decoded.every((part) => part !== null)) return decoded;
  return { problem: 'the destination is not correctly percent-encoded, or has more than 30 combining marks in a row' };
}

function decodedPart(text: string): string | null {
  try {
    return nfc(decodeURIComponent(text), MAX_LINE_LENGTH);
  } catch {
    return null;
  }
}
