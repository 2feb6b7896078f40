import type { Site } from '../../site/state/site.state.js';

/** Maximum time between storing a value and recording it. Allows for a process that is suspended in between. */
export const RECORDED_WITHIN_MS = 3_600_000;

export type StoredSecret = {
  readonly name: string;
  readonly version: number;
  /** Time since the value was stored, in milliseconds. */
  readonly age: number;
};

/** Reports whether a vault value is not in use and never will be. */
export function isOrphan(site: Site, { name, version, age }: StoredSecret): boolean {
  if (site.status !== 'live') return true;
  const known = Object.hasOwn(site.secrets, name) ? site.secrets[name] : undefined;
  if (!known || version > known.version) return age > RECORDED_WITHIN_MS;
  return version < known.version || known.deleted;
}
