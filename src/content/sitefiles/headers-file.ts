import { plural } from '../../kernel/output/quantities.js';
import { refusedHeader } from './header-names.js';
import { isProblem, listPlaceholders, type PathPattern, pathPattern } from './path-pattern.js';
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
};

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

  /** `number` is the line number, starting at 1. */
  line(written: string, number: number): void {
    if (written.length > LINE_UP_TO) {
      this.warnings.add(number, `Ignored: the line is longer than ${plural(LINE_UP_TO, 'character')}.`);
      if (/^\s*\//.test(written.slice(0, 100))) this.#under = 'ignored';
      return;
    }
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return;
    const problem = /^(\/|https?:\/\/)/i.test(line) ? this.#path(line) : this.#header(line);
    if (problem !== null) this.warnings.add(number, `Ignored${problem}.`);
  }

  #path(line: string): string | null {
    this.#under = 'ignored';
    if (!line.startsWith('/'))
      return ', along with its headers: a rule must start with a path on this site, not with a host';
    if (this.rules.length >= HEADER_RULES_UP_TO)
      return `, along with its headers: the file can have at most ${plural(HEADER_RULES_UP_TO, 'path')}`;
    const path = pathPattern(line);
    if (isProblem(path)) return `, along with its headers: ${path.problem}`;
    const open = { path, names: listPlaceholders(path), set: [], unset: [] };
    this.#under = open;
    this.rules.push(open);
    return null;
  }

  #header(line: string): string | null {
    if (this.#under === 'ignored') return null;
    if (this.#under === 'nothing') return ': headers must come after a line with a path, which starts with /';
    const { names, set, unset } = this.#under;
    if (this.#lines++ >= HEADER_LINES_UP_TO)
      return `: the file can have at most ${plural(HEADER_LINES_UP_TO, 'header line')}`;
    if (line.startsWith('!')) {
      const name = line.slice(1).trim().toLowerCase();
      const refused = refusedHeader(name);
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
    set.push({ name, value: parts });
    return null;
  }
}

/**
 * Reports whether a content type could be multipart, which is not allowed: Firefox accepts cookies and policies from
 * the parts of a multipart body, which the site controls.
 */
const canBeMultipart = (value: string, parts: PathTemplate) =>
  /multipart/i.test(value) || parts.some((part) => typeof part !== 'string');
