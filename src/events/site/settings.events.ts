import { z } from 'zod';
import { type EventOf, eventType } from '../event-type.js';

/** How a site presents itself, and to whom. Recorded in the site's own stream. */

const visibility = z.enum(['public', 'password', 'members']);
export type Visibility = z.output<typeof visibility>;

const VISIBLE_TO: Readonly<Record<Visibility, string>> = {
  public: 'Made public',
  password: 'Made visible to anyone with the password',
  members: 'Made visible to members only',
};

/** Who may see the site from now on, on all its addresses. */
export const SiteAccessSet = eventType(
  'SiteAccessSet',
  z.strictObject({
    visibility,
    /** Id of the password that visitors must know, which itself is kept elsewhere. Null where none is asked for. */
    passwordId: z.string().nullable(),
  }),
  { summary: ({ visibility }) => VISIBLE_TO[visibility], changesRights: true },
);

/** What the site says of itself, all of it as it is now. */
export const SiteDescribed = eventType(
  'SiteDescribed',
  z.strictObject({
    title: z.string(),
    description: z.string(),
    /** Whether search engines are asked to leave it out. */
    robots: z.enum(['index', 'noindex']),
  }),
  { summary: ({ title }) => (title === '' ? 'Title and description changed' : `Title set to “${title}”`) },
);

/** The site has another slug. It keeps the former ones, which lead to it. */
export const SiteRenamed = eventType('SiteRenamed', z.strictObject({ slug: z.string(), before: z.string() }), {
  summary: ({ before, slug }) => `Renamed from ${before} to ${slug}`,
});

/**
 * The site never showed anything, its last job had failed or was stopped, and another caller asked for its slug: it
 * keeps none from others. It is ended with that; `SiteDeleted` follows in the same append.
 */
export const SiteSlugReleased = eventType('SiteSlugReleased', z.strictObject({ slug: z.string(), jobId: z.string() }), {
  summary: ({ slug }) => `Gave up the slug ${slug} to another site because nothing was ever deployed`,
});

/** Its owner ended the site. Its content is collected later; its slugs are kept from others for a while. */
export const SiteDeleted = eventType('SiteDeleted', z.strictObject({}), {
  summary: () => 'Deleted',
  endsStream: true,
  stopsServing: true,
  endsSite: true,
});

export const capabilityName = z.enum(['spa', 'listing', 'connector', 'analytics', 'egress']);
export type CapabilityName = z.output<typeof capabilityName>;

/** Something the site can do beyond showing files was switched on or off. The first shape did not know `egress`. */
export const CapabilitySet = eventType(
  'CapabilitySet',
  z.strictObject({ name: capabilityName, enabled: z.boolean(), config: z.record(z.string(), z.json()) }),
  { summary: ({ name, enabled }) => `Capability ${name} turned ${enabled ? 'on' : 'off'}` },
  (older) => older,
);

const secret = { name: z.string(), version: z.number().int().positive() };

/** A secret has a value from now on, or another one. The value is kept elsewhere, encrypted. */
export const SecretSet = eventType('SecretSet', z.strictObject(secret), {
  summary: ({ name, version }) => `Secret ${name} set (version ${version})`,
});

/** The secret is gone, and all its values with it. */
export const SecretDeleted = eventType('SecretDeleted', z.strictObject(secret), {
  summary: ({ name }) => `Secret ${name} deleted`,
});

const connectorToken = { tokenId: z.string(), name: z.string() };

/** Agents may take the site's work with a new token from now on. Of the token itself nothing is said. */
export const ConnectorTokenIssued = eventType('ConnectorTokenIssued', z.strictObject(connectorToken), {
  summary: ({ name }) => `Connector token “${name}” created`,
});

/** The token is good for nothing any more. */
export const ConnectorTokenRevoked = eventType('ConnectorTokenRevoked', z.strictObject(connectorToken), {
  summary: ({ name }) => `Connector token “${name}” revoked`,
});

export const settingsEvents = [
  SiteAccessSet,
  SiteDescribed,
  SiteRenamed,
  SiteSlugReleased,
  SiteDeleted,
  CapabilitySet,
  SecretSet,
  SecretDeleted,
  ConnectorTokenIssued,
  ConnectorTokenRevoked,
] as const;
export type SettingsEvent = EventOf<(typeof settingsEvents)[number]>;
