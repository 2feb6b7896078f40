import { plural } from '../../kernel/output/quantities.js';
import { hasDirectives, isSingleValued, refusedHeader } from './header-names.js';
import { explainLiteral, isProblem, listPlaceholders, type PathPattern, pathPattern, shorten } from './path-pattern.js';
import { isWithin } from './request-path.js';
import { HEADERS, MAX_HEADER_LINES, MAX_HEADER_RULES, MAX_LINE_LENGTH, MAX_PLACEHOLDERS } from './site-file-limits.js';
import { WarningCollector } from './site-file-warning.js';
import { hasTooManyPlaceholders, type PathTemplate, template } from './template.js';

/** Headers for a path in `_headers`. Their names are in lower case. */
export type HeaderRule = {
  readonly path: PathPattern;
  readonly set: readonly { readonly name: string; readonly value: PathTemplate }[];
  /** Names of headers that are removed if the service or an earlier rule has set them. */
  readonly unset: readonly string[];
};

/** A header whose value can continue on the next lines. */
type OpenHeader = {
  readonly name: string;
  /** The header’s value, one string for each line. */
  readonly values: string[];
  length: number;
  readonly line: number;
  readonly indent: number;
};

type OpenBlock = {
  readonly path: PathPattern;
  readonly names: readonly string[];
  set: HeaderRule['set'][number][];
  unset: string[];
  readonly line: number;
  /** Whether the path is followed by any line, valid or not. */
  hasLines: boolean;
};

/** Maximum number of earlier lines with which each line for a header is compared. */
const MAX_COMPARED_LINES = 50;

/** Valid header values: printable ASCII, spaces and tabs (RFC 9110 section 5.5, without obsolete syntax). */
const VALUE = /^[\x20-\x7e\t]+$/;

/** Matches URL schemes. At the start of a policy’s continued line, they look like the name of a header. */
const SCHEME = /^(?:data|blob|https?|wss?|filesystem|mediastream):/i;

/** Headers that are often so long that people write them on several lines. */
const LONG = new Set([
  ...['content-security-policy', 'content-security-policy-report-only', 'permissions-policy', 'feature-policy'],
  ...['link', 'report-to', 'reporting-endpoints'],
]);

const SYNTAX = 'write headers as “name: value”. To continue a policy on the next line, indent that line further';

/**
 * Parses `_headers` line by line: a path, then lines with `name: value` or, to remove a header, `! name`. A policy or
 * another long header continues on lines that are indented further. An invalid line is ignored with a warning. If a
 * path is invalid, the headers below it are ignored as well.
 */
export class HeadersFile {
  readonly rules: HeaderRule[] = [];
  readonly warnings = new WarningCollector(HEADERS);
  #under: OpenBlock | 'nothing' | 'ignored' = 'nothing';
  #open: OpenHeader | null = null;
  #lines = 0;
  /** Lines that set a single-valued header, by header name. */
  readonly #single = new Map<string, readonly { path: PathPattern; block: number; line: number }[]>();
  /** Paths for which a header is set, by header name. */
  readonly #setFor = new Map<string, readonly PathPattern[]>();
  /** Lines that remove a header although no earlier line sets it, by header name. */
  readonly #removed = new Map<string, readonly { open: OpenBlock; line: number }[]>();

  /** `number` is the line number, starting at 1. */
  line(written: string, number: number): void {
    if (this.#continued(written)) return;
    this.#complete();
    if (written.length > MAX_LINE_LENGTH) {
      this.warnings.add(number, `Ignored: the line is longer than ${plural(MAX_LINE_LENGTH, 'character')}.`);
      if (isPathLine(written.trimStart().slice(0, 200))) this.#close('ignored');
      return;
    }
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return;
    const problem = isPathLine(line) ? this.#path(line, number) : this.#header(line, number, written.search(/\S/));
    if (problem !== null) this.warnings.add(number, `Ignored${problem}.`);
  }

  /** Completes the last header and its block. Must be called after the last line. */
  end(): void {
    this.#complete();
    this.#close('nothing');
  }

  /** Appends a line to the header above it if the line is indented further and is not itself a header or a path. */
  #continued(written: string): boolean {
    const open = this.#open;
    const start = written.search(/\S/);
    if (open === null || start <= open.indent) return false;
    const line = written.slice(start).trimEnd();
    if (/^[#/!]/.test(line) || (/^[\w-]+\s*:/.test(line) && !SCHEME.test(line))) return false;
    // Only a long header or a list of directives can continue on the next line. Below any other header, an indented
    // line may be a path without its leading slash.
    if (!LONG.has(open.name) && !(hasDirectives(open.name) && /^[\w\s,="-]+$/.test(line))) return false;
    open.length += line.length + 1;
    if (open.length <= MAX_LINE_LENGTH) open.values.push(line);
    return true;
  }

  /** Adds the last header to its block, once all lines of its value have been read. */
  #complete(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || typeof this.#under !== 'object') return;
    const problem = this.#set(open, this.#under);
    if (problem !== null) this.warnings.add(open.line, `Ignored: ${problem}.`);
  }

  #close(next: 'nothing' | 'ignored'): void {
    const open = this.#under;
    this.#under = next;
    if (typeof open === 'object' && !open.hasLines)
      this.warnings.add(
        open.line,
        'This path has no effect, because it has no headers. Write headers on the following lines, as “name: value”.',
      );
  }

  #path(line: string, number: number): string | null {
    this.#close('ignored');
    if (/^https?:\/\//i.test(line))
      return ', along with its headers: a rule must start with a path on this site, not with a host';
    if (!line.startsWith('/'))
      return `, along with its headers: a path must begin with /, such as ${shorten(`/${line.split(/\s/, 1)[0]}`)}`;
    if (this.rules.length >= MAX_HEADER_RULES)
      return `, along with its headers: the file can have at most ${plural(MAX_HEADER_RULES, 'path')}`;
    const path = pathPattern(line);
    if (isProblem(path)) return `, along with its headers: ${path.problem}`;
    const advice = explainLiteral(line);
    if (advice !== null) this.warnings.add(number, advice);
    const open = { path, names: listPlaceholders(path), set: [], unset: [], line: number, hasLines: false };
    this.#under = open;
    this.rules.push(open);
    return null;
  }

  #header(line: string, number: number, indent: number): string | null {
    if (/^\/\/(?:\s|$)/.test(line)) return ': a comment must start with #';
    if (this.#under === 'ignored') return null;
    if (this.#under === 'nothing') return ': headers must come after a line with a path, which starts with /';
    this.#under.hasLines = true;
    if (this.#lines++ >= MAX_HEADER_LINES)
      return `: the file can have at most ${plural(MAX_HEADER_LINES, 'header line')}`;
    if (line.startsWith('!')) return this.#remove(line.slice(1).trim().toLowerCase(), this.#under, number);
    const colon = line.indexOf(':');
    if (colon < 0) return `: ${SYNTAX}`;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'x-content-type-options' && value.toLowerCase() === 'nosniff') return null;
    if (/\s/.test(name)) return `: ${SYNTAX}`;
    const refused = refusedHeader(name);
    if (refused !== null) return `: ${refused}`;
    this.#open = { name, values: [value], length: value.length, line: number, indent };
    return null;
  }

  #remove(name: string, open: OpenBlock, line: number): string | null {
    const refused = name === 'content-encoding' ? 'content-encoding can be set but not removed' : refusedHeader(name);
    if (refused !== null) return `: ${refused}`;
    open.unset.push(name);
    if (this.#setFor.get(name)?.some((path) => overlap(path, open.path))) return null;
    const earlier = this.#removed.get(name) ?? [];
    if (earlier.length < MAX_COMPARED_LINES) this.#removed.set(name, [...earlier, { open, line }]);
    return null;
  }

  #set({ name, values, length, line }: OpenHeader, under: OpenBlock): string | null {
    if (length > MAX_LINE_LENGTH) return `the value is longer than ${plural(MAX_LINE_LENGTH, 'character')}`;
    const value = joined(values);
    if (value === '') return 'the header has no value';
    if (!VALUE.test(value)) {
      const problem = 'a header value can contain only printable ASCII characters';
      return name === 'content-disposition'
        ? `${problem}; encode a file name as filename*=UTF-8''caf%C3%A9.pdf`
        : problem;
    }
    const parts = template(value, under.names);
    if (hasTooManyPlaceholders(parts)) return `the value has more than ${MAX_PLACEHOLDERS} placeholders`;
    if (name === 'content-type' && canBeMultipart(value, parts))
      return 'content-type must not be multipart or contain placeholders';
    if (name === 'content-encoding' && !/^(?:gzip|br)$/.test(value))
      return 'content-encoding must be gzip or br, and only takes effect if the file is compressed that way';
    if (/^(["'])(?:(?!\1).)*\1$/.test(value) && name !== 'speculation-rules')
      this.warnings.add(line, 'The quotation marks are part of the value. Remove them.');
    this.#warnOfSecond(name, under, line);
    this.#warnOfEarlierRemoval(name, under, line);
    under.set.push({ name, value: parts });
    const paths = this.#setFor.get(name) ?? [];
    if (paths.length < MAX_COMPARED_LINES) this.#setFor.set(name, [...paths, under.path]);
    return null;
  }

  /**
   * Warns about earlier lines that remove this header for some of the same paths. A removal does not affect headers
   * that are set below it, so it does not remove the header that this line sets.
   */
  #warnOfEarlierRemoval(name: string, under: OpenBlock, line: number): void {
    for (const { open, line: earlier } of this.#removed.get(name) ?? [])
      if (open !== under && !open.set.some((one) => one.name === name) && overlap(open.path, under.path))
        this.warnings.add(
          earlier,
          `This line has no effect on line ${line}, which sets ${name} for some of the same paths. Move it below that line.`,
        );
  }

  /** Warns if an earlier line sets the same policy or single-valued header for some of the same paths. */
  #warnOfSecond(name: string, { path, line: block, unset }: OpenBlock, line: number): void {
    const isPolicy = name === 'content-security-policy';
    if (!isPolicy && !isSingleValued(name)) return;
    const earlier = this.#single.get(name) ?? [];
    const isReplaced = unset.includes(name);
    const same = earlier.find((one) =>
      one.block === block ? !hasDirectives(name) : !isReplaced && overlap(one.path, path),
    );
    if (same && earlier.every((one) => one.block !== block || one === same))
      this.warnings.add(
        line,
        isPolicy ? explainPolicies(same.line, same.block === block) : explainValues(name, same.line),
      );
    if (earlier.length < MAX_COMPARED_LINES) this.#single.set(name, [...earlier, { path, block, line }]);
  }
}

/** Joins the lines of a value with spaces. As in a shell, a backslash can precede each line break. */
const joined = (values: readonly string[]) =>
  values
    .map((value, at) => (at < values.length - 1 && value.endsWith('\\') ? value.slice(0, -1).trimEnd() : value))
    .filter((value) => value !== '')
    .join(' ');

const explainValues = (name: string, earlier: number) =>
  `Line ${earlier} sets ${name} for some of the same paths. Only one value is sent: the value for the more specific path, or the later value if neither path is more specific.`;

const explainPolicies = (earlier: number, isSameBlock: boolean) =>
  isSameBlock
    ? `Line ${earlier} also sets content-security-policy, and browsers enforce both. Write all directives on one line, separated by semicolons.`
    : `Line ${earlier} sets content-security-policy for some of the same paths, and browsers enforce both. To replace it, write “! Content-Security-Policy” above this line.`;

/**
 * Reports whether a line is meant as a path, even if its leading slash is missing. Headers below the line must not be
 * added to the path above it.
 */
function isPathLine(line: string): boolean {
  if (line.startsWith('!') || /^\/\/(?:\s|$)/.test(line)) return false;
  const [first = ''] = line.split(/\s/, 1);
  if (first.startsWith('/') || /^https?:\/\//i.test(first)) return true;
  // Real header names contain neither * nor /, although the syntax allows an asterisk.
  const [name = ''] = first.split(/:(?!\w)/, 1);
  if (/[*/]/.test(name)) return !/^[\w-]+:\S/.test(first);
  return !first.includes(':') && (/^[\w-][\w.-]*\.[a-z][a-z0-9]{0,9}$/i.test(first) || /^for\s*=/.test(line));
}

/** Reports whether either pattern matches every path that the other matches. */
const overlap = (one: PathPattern, other: PathPattern) => isWithin(one, other) || isWithin(other, one);

/**
 * Reports whether a content type could be multipart. Such types are not allowed, because Firefox accepts cookies and
 * policies from the parts of a multipart body, which the site controls.
 */
const canBeMultipart = (value: string, parts: PathTemplate) =>
  /multipart/i.test(value) || parts.some((part) => typeof part !== 'string');
