import { type CapabilityName, CapabilitySet } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertCanEdit, assertIsOwner } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';

type Config = ReturnType<typeof CapabilitySet>['data']['config'];

export type SetCapability = {
  readonly context: CommandContext;
  readonly name: CapabilityName;
  readonly enabled: boolean;
  /** Configuration that is valid for this capability, or null to keep the current one. */
  readonly config: Config | null;
};

/**
 * Switches a capability on or off. Anyone who can deploy the site can do this, because it changes what a deploy shows.
 * Only owners can set the hosts that the site's server can connect to, so nobody can before the site is claimed.
 */
export function decideCapability(site: Site, { context, name, enabled, config: wanted }: SetCapability): SiteEvent[] {
  const { capabilities } = name === 'egress' ? assertIsOwner(site, context) : assertCanEdit(site, context);
  const before = capabilities[name] ?? { enabled: false, config: {} };
  const config = wanted ?? (before.config as Config);
  if (enabled === before.enabled && isSame(config, before.config)) return [];
  return [CapabilitySet({ name, enabled, config })];
}

/** Configurations are flat: each value is a primitive or a list of primitives. */
const isSame = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([key, value]) => JSON.stringify(b[key]) === JSON.stringify(value));
