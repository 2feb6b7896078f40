import type { Site } from '../../site/site.state.js';

/**
 * How long a value may be in the vault before the log has it, in milliseconds. Between the two there is one append; this
 * is for a process that was suspended between them.
 */
export const RECORDED_WITHIN_MS = 3_600_000;

export type StoredSecret = {
  readonly name: string;
  readonly version: number;
  /** Milliseconds in the vault. */
  readonly age: number;
};

/** Whether a value in the vault is not in force, and never will be. */
export function isOrphan(site: Site, { name, version, age }: StoredSecret): boolean {
  if (site.status !== 'live') return true;
  const known = Object.hasOwn(site.secrets, name) ? site.secrets[name] : undefined;
  if (!known || version > known.version) return age > RECORDED_WITHIN_MS;
  return version < known.version || known.deleted;
}
