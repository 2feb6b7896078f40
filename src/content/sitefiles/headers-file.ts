import { plural } from '../../kernel/output/quantities.js';
import { hasDirectives, isSingleValued, refusedHeader } from './header-names.js';
import { explainLiteral, isProblem, listPlaceholders, type PathPattern, pathPattern, shorten } from './path-pattern.js';
import { isWithin } from './request-path.js';
import { HEADER_LINES_UP_TO, HEADER_RULES_UP_TO, HEADERS, LINE_UP_TO, PLACEHOLDERS_UP_TO } from './site-file-limits.js';
import { WarningCollector } from './site-file-warning.js';
import { hasTooManyPlaceholders, type PathTemplate, template } from './template.js';

/** Headers for a path in `_headers`. Their names are in lower case. */
export type HeaderRule = {
  readonly path: PathPattern;
  readonly set: readonly { readonly name: string; readonly value: PathTemplate }[];
  /** Names of headers to remove that the service or an earlier rule has set. */
  readonly unset: readonly string[];
};

type OpenBlock = {
  readonly path: PathPattern;
  readonly names: readonly string[];
  set: HeaderRule['set'][number][];
  unset: string[];
  readonly line: number;
  /** True if a line follows the path, whether the line is valid or not. */
  hasLines: boolean;
};

/** Maximum number of earlier lines with the same header name to which a line is compared. */
const COMPARED_UP_TO = 50;

/** Valid header values: printable ASCII, spaces and tabs (RFC 9110 section 5.5, without obsolete syntax). */
const VALUE = /^[\x20-\x7e\t]+$/;

/**
 * Parses `_headers` line by line: a path, then lines with `name: value` or, to remove a header, `! name`. An invalid
 * line is ignored with a warning, and so are the headers below an invalid path.
 */
export class HeadersFile {
  readonly rules: HeaderRule[] = [];
  readonly warnings = new WarningCollector(HEADERS);
  #under: OpenBlock | 'nothing' | 'ignored' = 'nothing';
  #lines = 0;
  /** Lines that set single-valued headers, by header name. */
  readonly #single = new Map<string, readonly { path: PathPattern; block: number; line: number }[]>();

  /** `number` is the line number, starting at 1. */
  line(written: string, number: number): void {
    if (written.length > LINE_UP_TO) {
      this.warnings.add(number, `Ignored: the line is longer than ${plural(LINE_UP_TO, 'character')}.`);
      if (isPathLine(written.trimStart().slice(0, 200))) this.#close('ignored');
      return;
    }
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return;
    const problem = isPathLine(line) ? this.#path(line, number) : this.#header(line, number);
    if (problem !== null) this.warnings.add(number, `Ignored${problem}.`);
  }

  /** Must be called after the last line. */
  end(): void {
    this.#close('nothing');
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
    if (this.rules.length >= HEADER_RULES_UP_TO)
      return `, along with its headers: the file can have at most ${plural(HEADER_RULES_UP_TO, 'path')}`;
    const path = pathPattern(line);
    if (isProblem(path)) return `, along with its headers: ${path.problem}`;
    const advice = explainLiteral(line);
    if (advice !== null) this.warnings.add(number, advice);
    const open = { path, names: listPlaceholders(path), set: [], unset: [], line: number, hasLines: false };
    this.#under = open;
    this.rules.push(open);
    return null;
  }

  #header(line: string, number: number): string | null {
    if (this.#under === 'ignored') return null;
    if (this.#under === 'nothing') return ': headers must come after a line with a path, which starts with /';
    this.#under.hasLines = true;
    const { names, set, unset } = this.#under;
    if (this.#lines++ >= HEADER_LINES_UP_TO)
      return `: the file can have at most ${plural(HEADER_LINES_UP_TO, 'header line')}`;
    if (line.startsWith('!')) {
      const name = line.slice(1).trim().toLowerCase();
      const refused = name === 'content-encoding' ? 'content-encoding can be set but not removed' : refusedHeader(name);
      if (refused === null) unset.push(name);
      return refused === null ? null : `: ${refused}`;
    }
    const colon = line.indexOf(':');
    if (colon < 0) return ': write headers as “name: value”';
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'x-content-type-options' && value.toLowerCase() === 'nosniff') return null;
    const refused = refusedHeader(name);
    if (refused !== null) return `: ${refused}`;
    if (value === '') return ': the header has no value';
    if (!VALUE.test(value)) return ': a header value can contain only printable ASCII characters';
    const parts = template(value, names);
    if (hasTooManyPlaceholders(parts)) return `: the value has more than ${PLACEHOLDERS_UP_TO} placeholders`;
    if (name === 'content-type' && canBeMultipart(value, parts))
      return ': content-type must not be multipart or contain placeholders';
    if (name === 'content-encoding' && !/^(?:gzip|br)$/.test(value))
      return ': content-encoding must be gzip or br, and only takes effect if the file is compressed that way';
    this.#warnOfSecond(name, this.#under, number);
    set.push({ name, value: parts });
    return null;
  }

  /** Warns if an earlier line sets the same single-valued header for some of the same paths. */
  #warnOfSecond(name: string, { path, line: block }: OpenBlock, line: number): void {
    if (!isSingleValued(name)) return;
    const earlier = this.#single.get(name) ?? [];
    const same = earlier.find((one) => (one.block === block ? !hasDirectives(name) : overlap(one.path, path)));
    if (same && earlier.every((one) => one.block !== block || one === same))
      this.warnings.add(
        line,
        `Line ${same.line} sets ${name} for some of the same paths. Only one value is sent: the value for the more specific path, or the later value if neither path is more specific.`,
      );
    if (earlier.length < COMPARED_UP_TO) this.#single.set(name, [...earlier, { path, block, line }]);
  }
}

/**
 * Reports whether a line is meant as a path, even without the leading slash. Headers below it must not apply to the
 * previous path.
 */
function isPathLine(line: string): boolean {
  if (line.startsWith('!')) return false;
  const [first = ''] = line.split(/\s/, 1);
  if (first.startsWith('/') || /^https?:\/\//i.test(first)) return true;
  // In practice, no header name contains * or /, although the syntax allows an asterisk.
  const [name = ''] = first.split(/:(?!\w)/, 1);
  if (/[*/]/.test(name)) return !/^[\w-]+:\S/.test(first);
  return !first.includes(':') && (/^[\w-][\w.-]*\.[a-z][a-z0-9]{0,9}$/i.test(first) || /^for\s*=/.test(line));
}

/** Reports whether either pattern matches every path that the other matches. */
const overlap = (one: PathPattern, other: PathPattern) => isWithin(one, other) || isWithin(other, one);

/**
 * Reports whether a content type could be multipart, which is not allowed: Firefox accepts cookies and policies from
 * the parts of a multipart body, which the site controls.
 */
const canBeMultipart = (value: string, parts: PathTemplate) =>
  /multipart/i.test(value) || parts.some((part) => typeof part !== 'string');
