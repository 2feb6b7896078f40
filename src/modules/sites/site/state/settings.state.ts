import type { LinkedRepository } from '../../../../events/site/repository.events.js';
import { type CapabilityName, initialSettings, type PlainSettings } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';

export type Capability = { readonly enabled: boolean; readonly config: Readonly<Record<string, unknown>> };

export type KnownSecret = { readonly version: number; readonly deleted: boolean };

export type SiteLink = LinkedRepository & {
  readonly linkId: string;
  /** ID of the membership of the owner who linked the repository. */
  readonly memberId: string;
};

export type SettingsState = PlainSettings & {
  readonly slug: string;
  /** Former slugs that are still reserved for the site, oldest first. */
  readonly formerSlugs: readonly string[];
  readonly capabilities: Readonly<Partial<Record<CapabilityName, Capability>>>;
  /**
   * Version of each secret by name. Includes deleted secrets, because version numbers continue if a secret is set
   * again.
   */
  readonly secrets: Readonly<Record<string, KnownSecret>>;
  readonly repository: SiteLink | null;
};

export const defaultSettings = (slug: string): SettingsState => ({
  ...initialSettings,
  slug,
  formerSlugs: [],
  capabilities: {},
  secrets: {},
  repository: null,
});

export const settingsVersion = 1;

export function evolveSettings(state: SettingsState, event: SiteEvent): Partial<SettingsState> | null {
  switch (event.type) {
    case 'SiteAccessSet':
    case 'SiteDescribed':
      return event.data;
    case 'SiteRenamed': {
      const { slug, before } = event.data;
      const formerSlugs = [...state.formerSlugs.filter((former) => former !== slug && former !== before), before];
      return { slug, formerSlugs };
    }
    case 'CapabilitySet': {
      const { name, enabled, config } = event.data;
      return { capabilities: { ...state.capabilities, [name]: { enabled, config } } };
    }
    case 'SecretSet':
    case 'SecretDeleted': {
      const { name, version } = event.data;
      const deleted = event.type === 'SecretDeleted';
      return { secrets: { ...state.secrets, [name]: { version, deleted } } };
    }
    case 'SiteRepositoryLinked':
      return { repository: event.data };
    case 'SiteRepositoryUnlinked':
      return { repository: null };
    default:
      return null;
  }
}
