import type { Site } from '../../site/site.state.js';

/**
 * Maximum time from storing a value in the vault to recording it, in milliseconds. Only one append lies in between; the
 * time is for a process that is suspended there.
 */
export const RECORDED_WITHIN_MS = 3_600_000;

export type StoredSecret = {
  readonly name: string;
  readonly version: number;
  /** Time in the vault, in milliseconds. */
  readonly age: number;
};

/** Whether a value in the vault is not in use and never will be. */
export function isOrphan(site: Site, { name, version, age }: StoredSecret): boolean {
  if (site.status !== 'live') return true;
  const known = Object.hasOwn(site.secrets, name) ? site.secrets[name] : undefined;
  if (!known || version > known.version) return age > RECORDED_WITHIN_MS;
  return version < known.version || known.deleted;
}
