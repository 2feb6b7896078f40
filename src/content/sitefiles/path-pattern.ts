import { nfc } from '../../kernel/nfc.js';
import { MAX_LINE_LENGTH, MAX_SEGMENTS } from './site-file-limits.js';

/**
 * A segment of a pattern. It is either a literal string, or a placeholder between two literal strings. A placeholder
 * matches any non-empty text.
 */
export type Segment = string | { readonly before: string; readonly name: string; readonly after: string };

/** The path of a rule, with placeholders and at most one `*`. Percent-encoding is already decoded. */
export type PathPattern = {
  readonly head: readonly Segment[];
  /** The literal text before and after the `*` in its segment. Null if the path has no `*`. */
  readonly splat: { readonly before: string; readonly after: string } | null;
  readonly tail: readonly Segment[];
};

/** The text that each placeholder matched, by name. The text that `*` matched is called `splat`. */
export type Captures = Readonly<Record<string, string>>;

export type PatternProblem = { readonly problem: string };

export const isProblem = (value: object): value is PatternProblem => 'problem' in value;

/** Cloudflare’s syntax of placeholders: a colon and a letter, followed by letters, digits and underscores. */
const PLACEHOLDER = /:([A-Za-z]\w*)/g;

const NOT_READABLE =
  'the path is not correctly percent-encoded, contains an encoded slash, or has more than 30 combining marks in a row';

/** Problem of a line that is not valid UTF-8. Decoding has replaced the invalid bytes by U+FFFD. */
export const NOT_UTF8 = 'the line is not UTF-8; save the file as UTF-8';

export function pathPattern(path: string): PathPattern | PatternProblem {
  if (path.includes('\ufffd')) return { problem: NOT_UTF8 };
  if (/\((?:\.[*+]|\[|\\\w)/.test(path))
    return {
      problem: 'regular expressions are not supported; write * for the rest of a path, and :name for one segment',
    };
  const segments: Segment[] = [];
  const names = new Set<string>();
  let splat: (PathPattern['splat'] & { readonly at: number }) | null = null;

  const parts = path.split('/').filter((each) => each !== '');
  if (parts.length > MAX_SEGMENTS) return { problem: `the path has more than ${MAX_SEGMENTS} segments` };
  for (const written of parts) {
    const stars = written.split('*');
    if (stars.length > 2 || (stars.length === 2 && splat))
      return { problem: 'a path can contain only one *, which also matches slashes' };
    const [before, after] = stars.map(decoded);
    if (before === undefined || before === null || after === null) return { problem: NOT_READABLE };
    if (after !== undefined) {
      if (/^:[A-Za-z]\w*\*$/.test(written))
        return {
          problem: `* and a placeholder must be separated by a slash; to match the rest of a path, write ${shorten(path.replace(written, '*'))} and use :splat in the destination`,
        };
      if (written.search(PLACEHOLDER) >= 0) return { problem: '* and a placeholder must be separated by a slash' };
      splat = { before, after, at: segments.length };
      continue;
    }
    const segment = segmentOf(written);
    if (typeof segment !== 'string') {
      if (isProblem(segment)) return segment;
      if (segment.name === 'splat') return { problem: ':splat is reserved for the text that * matches' };
      if (names.has(segment.name)) return { problem: `the placeholder :${segment.name} appears twice` };
      names.add(segment.name);
    }
    segments.push(segment);
  }
  if (!splat) return { head: segments, splat: null, tail: [] };
  const { before, after, at } = splat;
  return { head: segments.slice(0, at), splat: { before, after }, tail: segments.slice(at) };
}

export const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);

/** Alternatives in the syntax of regular expressions (`(a|b)`) or shells (`{a,b}`). */
const ALTERNATIVES = /\(([^()|]*)\|([^()|]*)(?:\|[^()]*)?\)|\{([^{},]*),([^{},]*)(?:,[^{}]*)?\}/;

/** Returns a warning if a literal path looks like an unsupported pattern, a comment or a header; otherwise null. */
export function explainLiteral(path: string): string | null {
  const alternatives = ALTERNATIVES.exec(path);
  if (alternatives) {
    const [text, a, b, c, d] = alternatives;
    const each = [a ?? c, b ?? d].map((one) => path.replace(text, () => one ?? ''));
    return `${shorten(text)} has no special meaning in a path. Write one line for each alternative, such as ${each.map(shorten).join(' and ')}.`;
  }
  const blank = path.search(/\s/);
  const rest = blank < 0 ? '' : path.slice(blank).trimStart();
  if (rest === '' && path.endsWith(':')) return 'The colon at the end is part of the path. Remove it.';
  if (rest.startsWith('/')) return 'A line can have only one path, so the rest of this line was read as part of it.';
  if (/^#/.test(rest)) return 'A comment must be on a line of its own. Here, it is part of the path.';
  if (/^[\w-]+:\s/.test(rest)) return 'Headers must be on lines of their own. Here, they are part of the path.';
  return null;
}

/** Returns the names of a pattern’s placeholders, including `splat` for a `*`. */
export function listPlaceholders({ head, splat, tail }: PathPattern): string[] {
  const names = [...head, ...tail].flatMap((segment) => (typeof segment === 'string' ? [] : [segment.name]));
  return splat ? [...names, 'splat'] : names;
}

export const isExact = ({ head, splat }: PathPattern) =>
  splat === null && head.every((segment) => typeof segment === 'string');

/** Represents a placeholder’s text in an example path. No rule contains this text. */
export const ANY_TEXT = '\u{10ffff}';

/**
 * Returns an example of a path that this pattern matches. If another pattern matches the example, it also matches every
 * other path that this pattern matches.
 */
export function examplePath({ head, splat, tail }: PathPattern): string {
  const rest = splat ? [`${splat.before}${ANY_TEXT}`, `${ANY_TEXT}${splat.after}`] : [];
  return [...head.map(exampleSegment), ...rest, ...tail.map(exampleSegment)].join('/');
}

const exampleSegment = (segment: Segment) =>
  typeof segment === 'string' ? segment : `${segment.before}${ANY_TEXT}${segment.after}`;

function segmentOf(written: string): Segment | PatternProblem {
  const found = [...written.matchAll(PLACEHOLDER)];
  if (found.length > 1) return { problem: 'two placeholders must be separated by a slash' };
  const [placeholder] = found;
  if (!placeholder) return decoded(written) ?? { problem: NOT_READABLE };
  const [whole, name = ''] = placeholder;
  const before = decoded(written.slice(0, placeholder.index));
  const after = decoded(written.slice(placeholder.index + whole.length));
  if (before === null || after === null) return { problem: NOT_READABLE };
  return { before, name, after };
}

/**
 * Decodes and normalizes a segment. Returns null if it cannot be decoded, has an encoded slash, or is not stream-safe
 * (`nfc`).
 */
function decoded(text: string): string | null {
  try {
    const plain = nfc(decodeURIComponent(text), MAX_LINE_LENGTH);
    return plain?.includes('/') ? null : plain;
  } catch {
    return null;
  }
}
