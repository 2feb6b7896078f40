import { plural } from '../../../kernel/output/quantities.js';
import { withoutColours } from '../../../kernel/output/terminal-text.js';

const MAX_KEPT = 200;
const MAX_SHOWN = 3;
const MAX_SHOWN_CHARACTERS = 300;
const MAX_CONNECTIONS = 5;

/** Lines that don't explain the error: the final output of package managers, and stack traces. */
const NOISE =
  /^(?:> |\$ |npm (?:error|ERR!)|error Command failed|info Visit|ELIFECYCLE| ELIFECYCLE|Lifecycle script|A complete log|error: script)|^\s+at\s|^\s*\^+\s*$|^\s*$|^Node\.js v\d|^Treating warnings as errors because|^Most CI servers set|^Failed to compile\.$/i;
const ERROR =
  /\b(?:error|errors|failed|failure|fatal|cannot|could not|can't|not found|no such|unable to|exception|undefined)\b|[✖✘×]|ERR!/i;
/** Tools' error messages about an unset variable. */
const UNSET = [
  /process\.env\.([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})/,
  /\b(?:variable|variables|env|setting|secret)\b[^A-Z\n]{0,40}([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})/,
  /\b[Mm]issing\b[^A-Z\n]{0,60}([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})/,
  /\b([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})\b["'`]?[^A-Z\n]{0,30}\b(?:not (?:set|defined|found|provided|configured)|undefined|missing|required|unset|empty)\b/,
];
/** Names that tools print although they are not settings of the project, such as error codes. */
const NOT_SETTINGS = /^(?:NODE_|NPM_|STELE_|CI_|FORCE_COLOR|NO_COLOR|ERR_|MODULE_NOT_FOUND|E[A-Z]+_)/;

/** Keeps the last lines of a command’s output, to explain why a job failed. */
export class RecentOutput {
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(withoutColours(line).trimEnd().slice(0, 2_000));
    if (this.#lines.length > 2 * MAX_KEPT) this.#lines = this.#lines.slice(-MAX_KEPT);
  }

  /**
   * Returns up to three lines, starting at the first error near the end of the output, which usually causes the later
   * errors. Without an error, returns the last lines.
   */
  listErrors(): readonly string[] {
    const lines = this.#lines.slice(-MAX_KEPT);
    const explaining = lines.filter((line) => !NOISE.test(line));
    const ofPackageManager = lines.filter((line) => /^npm (?:error|ERR!) \S/i.test(line));
    const all =
      explaining.some((line) => ERROR.test(line)) || ofPackageManager.length === 0 ? explaining : ofPackageManager;
    const from = all.slice(-40).findIndex((line) => ERROR.test(line));
    const shown = from < 0 ? all.slice(-MAX_SHOWN) : all.slice(-40).slice(from, from + MAX_SHOWN);
    return shown.map((line) => line.trim().slice(0, MAX_SHOWN_CHARACTERS));
  }

  /** Reports whether Create React App or a similar tool has refused to build because of warnings. */
  treatsWarningsAsErrors(): boolean {
    return this.#lines.some((line) => line.includes('Treating warnings as errors because process.env.CI'));
  }

  /** Reports whether the output mentions a read-only file system. */
  mentionsReadOnlyFiles(): boolean {
    return this.#lines.some((line) => /\bEROFS\b|read-only file system/i.test(line));
  }

  /** Returns the name of a variable that the output reports as not set and that `env` does not contain, or null. */
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

export const WARNINGS_AS_ERRORS =
  'The build tool treats warnings as errors, because builds run with CI=true. Fix the warnings, or deploy with a build command that turns this off, such as “CI=false npm run build”.';

export const describeUnset = (name: string, slug: string) =>
  `The log mentions ${name}, which is not set here. If it is a setting of the project, add it as a secret of the site (PUT /v1/sites/${slug}/secrets/${name}) and deploy again as an owner.`;

/** `why` completes the sentence "{host} …". */
export type BlockedConnection = { readonly host: string; readonly why: string };

export const describeStubborn = (host: string, why: string) =>
  `The command was stopped, because it tried again and again to connect to ${host}, which ${why} (STELE_BUILD_HOSTS). If the lock file names this host, create the lock file again with a registry that builds can reach.`;

/**
 * Describes blocked connections, or returns null if there were none. A connection to an allowed host can be blocked
 * because of the way in which the client connects.
 */
export function describeBlocked(connections: readonly BlockedConnection[]): string | null {
  if (connections.length === 0) return null;
  const named = connections.slice(0, MAX_CONNECTIONS).map(({ host, why }) => `${host} ${why}`);
  const more = connections.length > MAX_CONNECTIONS ? [`and ${connections.length - MAX_CONNECTIONS} more`] : [];
  const hosts = new Set(connections.map(({ host }) => host)).size;
  return `Connections to ${plural(hosts, 'host')} were blocked: ${[...named, ...more].join('; ')} (STELE_BUILD_HOSTS).`;
}
