import { SecretDeleted, SecretSet } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { type KnownSecret } from '../../site/state/settings.state.js';
import { type LiveSite, type Site } from '../../site/state/site.state.js';

/**
 * Maximum number of secrets per site. All secrets of a site form the environment of one process, for which Linux allows
 * 2 MiB with the usual stack (execve(2), "Limits on size of arguments and environment"). Fifty values of 32 KiB leave
 * room for other variables.
 */
export const MAX_SECRETS = 50;

type SecretName = { readonly context: CommandContext; readonly name: string };

export type SetSecret = SecretName & {
  /** The version under which the value is already stored in the vault. */
  readonly version: number;
};

/**
 * Sets a new value. Refuses with `conflict` if this or a later version was recorded in the meantime. In that case, the
 * value must be stored as another version.
 */
export function decideSetSecret(site: Site, { context, name, version }: SetSecret): SiteEvent[] {
  if (version <= lastVersion(site, { context, name }))
    return refuse('conflict', 'Another value for this secret was set at the same time.');
  return [SecretSet({ name, version })];
}

/** Returns the latest version of the secret, or 0 for a new secret. Refuses a caller who can't set it. */
export function lastVersion(site: Site, { context, name }: SecretName): number {
  const live = assertCanManage(site, context);
  const known = knownSecret(live, name);
  if ((!known || known.deleted) && secretsInForce(live).size >= MAX_SECRETS)
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MAX_SECRETS} secrets. Delete one that you no longer use.`,
    );
  return known?.version ?? 0;
}

/** Deletes the secret. Records nothing if it is already deleted. Refuses with `not_found` if it never existed. */
export function decideDeleteSecret(site: Site, { context, name }: SecretName): SiteEvent[] {
  const known = knownSecret(assertCanManage(site, context), name);
  if (!known) return refuse('not_found', `This site has no secret “${name}”.`);
  return known.deleted ? [] : [SecretDeleted({ name, version: known.version })];
}

/** Returns the current version of each secret that has a value, by name. */
export const secretsInForce = ({ secrets }: LiveSite): ReadonlyMap<string, number> =>
  new Map(Object.entries(secrets).flatMap(([name, { version, deleted }]) => (deleted ? [] : [[name, version]])));

const knownSecret = ({ secrets }: LiveSite, name: string): KnownSecret | undefined =>
  Object.hasOwn(secrets, name) ? secrets[name] : undefined;
