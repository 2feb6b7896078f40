import { plural } from '../../../kernel/output/quantities.js';

/** Number of lines at the end of a command’s output that are examined. */
const MAX_KEPT = 200;
const MAX_SHOWN = 3;
const MAX_SHOWN_CHARACTERS = 300;
const MAX_HOSTS = 5;

/** Lines that only say that something failed before: the end of npm’s and other package managers’ output, and stacks. */
const NOISE =
  /^(?:> |\$ |npm (?:error|ERR!)|error Command failed|info Visit|ELIFECYCLE| ELIFECYCLE|Lifecycle script|A complete log|error: script)|^\s+at\s|^\s*\^+\s*$|^\s*$|^Node\.js v\d/i;
const ERROR =
  /\b(?:error|errors|failed|failure|fatal|cannot|could not|can't|not found|no such|unable to|exception|undefined)\b|[✖✘×]|ERR!/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins a colour
const COLOURS = /\u001b\[[\d;:]*m/g;

/** Name of a setting as an environment variable, with at least one underscore. */
const NAME = '([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})';
/** Ways in which tools say that a variable is not set. */
const UNSET = [
  new RegExp(String.raw`process\.env\.${NAME}`),
  new RegExp(String.raw`\b(?:variable|variables|env|setting|secret)\b[^A-Z\n]{0,40}${NAME}`),
  new RegExp(String.raw`\b[Mm]issing\b[^A-Z\n]{0,60}${NAME}`),
  new RegExp(
    String.raw`\b${NAME}\b["'\x60]?[^A-Z\n]{0,30}\b(?:not (?:set|defined|found|provided|configured)|undefined|missing|required|unset|empty)\b`,
  ),
];
/** Variables that tools name without the project needing them. */
const NOT_SETTINGS = /^(?:NODE_|NPM_|STELE_|CI_|FORCE_COLOR|NO_COLOR|ERR_|MODULE_NOT_FOUND|E[A-Z]+_)/;

/** The last lines of a command’s output, from which the message of a failed job says why. */
export class RecentOutput {
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.replace(COLOURS, '').trimEnd().slice(0, 2_000));
    if (this.#lines.length > 2 * MAX_KEPT) this.#lines = this.#lines.slice(-MAX_KEPT);
  }

  /**
   * Returns the last lines that report an error, or the last ones of any kind; empty if there are none. The first error
   * of the end of the output is usually the cause of those after it.
   */
  listErrors(): readonly string[] {
    const lines = this.#lines.slice(-MAX_KEPT);
    const told = lines.filter((line) => !NOISE.test(line));
    const ofPackageManager = lines.filter((line) => /^npm (?:error|ERR!) \S/i.test(line));
    const all = told.some((line) => ERROR.test(line)) || ofPackageManager.length === 0 ? told : ofPackageManager;
    const from = all.slice(-40).findIndex((line) => ERROR.test(line));
    const shown = from < 0 ? all.slice(-MAX_SHOWN) : all.slice(-40).slice(from, from + MAX_SHOWN);
    return shown.map((line) => line.trim().slice(0, MAX_SHOWN_CHARACTERS));
  }

  /**
   * Returns the name of a variable that the output reports as not set and that is not in the environment; null if there
   * is none.
   */
  findUnsetVariable(env: Readonly<Record<string, string>>): string | null {
    for (const line of this.#lines.slice(-MAX_KEPT)) {
      for (const form of UNSET) {
        const name = form.exec(line)?.[1];
        if (name !== undefined && !NOT_SETTINGS.test(name) && !Object.hasOwn(env, name)) return name;
      }
    }
    return null;
  }
}

/** Returns a sentence about a variable that a build needs. */
export const describeUnset = (name: string, slug: string) =>
  `The log mentions ${name}, which is not set here. If it is a setting of the project, add it as a secret of the site (PUT /v1/sites/${slug}/secrets/${name}) and deploy again as an owner.`;

/**
 * Returns a sentence about connections that were blocked, given the hosts with reasons that complete "{host} …"; null if
 * there were none. An allowed host can be blocked because of the way a client connects to it.
 */
export function describeBlocked(hosts: ReadonlyMap<string, string>): string | null {
  if (hosts.size === 0) return null;
  const named = [...hosts].slice(0, MAX_HOSTS).map(([host, why]) => `${host} ${why}`);
  const more = hosts.size > MAX_HOSTS ? [`and ${hosts.size - MAX_HOSTS} more`] : [];
  return `Connections to ${plural(hosts.size, 'host')} were blocked: ${[...named, ...more].join('; ')} (STELE_BUILD_HOSTS).`;
}
