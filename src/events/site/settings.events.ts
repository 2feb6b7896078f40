import { z } from 'zod';
import { type EventOf, upcast } from '../event-type.js';
import { siteEventType } from './site-event-type.js';

/** Events about a site's settings and visibility. They are part of the site's stream. */

const visibility = z.enum(['public', 'password', 'members']);
export type Visibility = z.output<typeof visibility>;

const VISIBLE_TO: Readonly<Record<Visibility, string>> = {
  public: 'Made public',
  password: 'Made visible to anyone with the password',
  members: 'Made visible to members only',
};

/** Sets who can see the site, on all of its hosts. */
export const SiteAccessSet = siteEventType(
  'SiteAccessSet',
  z.strictObject({
    visibility,
    /** ID of the visitors' password, which is stored outside the log. Null if there is none. */
    passwordId: z.string().nullable(),
  }),
  {
    example: { visibility: 'password', passwordId: 'pwd_01jd4v7h2kpf4s1w8v6y5x3q0n' },
    changes: { kind: 'access', changed: ['who can see it'] },
    summary: ({ visibility }) => VISIBLE_TO[visibility],
    changesRights: true,
  },
);

/** The title, description or search setting of a site was changed. Contains all three. */
export const SiteDescribed = siteEventType(
  'SiteDescribed',
  z.strictObject({
    title: z.string(),
    description: z.string(),
    /** `noindex` asks search engines not to list the site. */
    robots: z.enum(['index', 'noindex']),
  }),
  {
    example: { title: 'Spring', description: 'Colours of spring', robots: 'noindex' },
    changes: { kind: 'presentation', changed: ['its title', 'its description'] },
    summary: ({ title }) => (title === '' ? 'Title and description changed' : `Title set to “${title}”`),
  },
);

/** The settings in `SiteAccessSet` and `SiteDescribed`. A site's state and its table row contain them unchanged. */
export type PlainSettings = Readonly<EventOf<typeof SiteAccessSet>['data'] & EventOf<typeof SiteDescribed>['data']>;

export const initialSettings: PlainSettings = {
  visibility: 'public',
  passwordId: null,
  title: '',
  description: '',
  robots: 'index',
};

/** The site has a new slug. Its previous slugs redirect to the new one. */
export const SiteRenamed = siteEventType('SiteRenamed', z.strictObject({ slug: z.string(), before: z.string() }), {
  example: { slug: 'spring', before: 'amber-otter-4821' },
  changes: { kind: 'presentation', done: 'renamed' },
  summary: ({ before, slug }) => `Renamed from ${before} to ${slug}`,
});

/**
 * Another caller requested the slug of this site, which was never deployed and whose last job had failed or been
 * stopped. The site ends: `SiteDeleted` follows in the same append.
 */
export const SiteSlugReleased = siteEventType(
  'SiteSlugReleased',
  z.strictObject({ slug: z.string(), jobId: z.string() }),
  {
    example: { slug: 'amber-otter', jobId: 'job_1' },
    changes: null,
    summary: ({ slug }) => `Gave up the slug ${slug} to another site because nothing was ever deployed`,
  },
);

/** An owner deleted the site. Its content is removed later, and its slugs stay reserved for a while. */
export const SiteDeleted = siteEventType('SiteDeleted', z.strictObject({}), {
  example: {},
  changes: null,
  summary: () => 'Deleted',
  endsStream: true,
  stopsServing: true,
  endsSite: true,
});

export const capabilityName = z.enum(['spa', 'listing', 'connector', 'analytics', 'egress']);
export type CapabilityName = z.output<typeof capabilityName>;

/** An optional feature was turned on or off. The first schema version did not include `egress`. */
export const CapabilitySet = siteEventType(
  'CapabilitySet',
  z.strictObject({ name: capabilityName, enabled: z.boolean(), config: z.record(z.string(), z.json()) }),
  {
    example: { name: 'egress', enabled: true, config: { hosts: ['api.example.com'] } },
    changes: null,
    summary: ({ name, enabled }) => `Capability ${name} turned ${enabled ? 'on' : 'off'}`,
  },
  upcast({ name: 'spa', enabled: true, config: { fallback: '/index.html' } }, (older) => older),
);

const secret = { name: z.string(), version: z.number().int().positive() };

/** A secret has a new value, which is stored in encrypted form outside the log. */
export const SecretSet = siteEventType('SecretSet', z.strictObject(secret), {
  example: { name: 'API_KEY', version: 2 },
  changes: null,
  summary: ({ name, version }) => `Secret ${name} set (version ${version})`,
});

/** A secret and all of its values were deleted. */
export const SecretDeleted = siteEventType('SecretDeleted', z.strictObject(secret), {
  example: { name: 'API_KEY', version: 2 },
  changes: null,
  summary: ({ name }) => `Secret ${name} deleted`,
});

const connectorToken = { tokenId: z.string(), name: z.string() };

/** Agents can use a new token to receive work for the site. The token itself is not recorded. */
export const ConnectorTokenIssued = siteEventType('ConnectorTokenIssued', z.strictObject(connectorToken), {
  example: { tokenId: 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n', name: 'my machine' },
  changes: null,
  summary: ({ name }) => `Connector token “${name}” created`,
});

export const ConnectorTokenRevoked = siteEventType('ConnectorTokenRevoked', z.strictObject(connectorToken), {
  example: { tokenId: 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n', name: 'my machine' },
  changes: null,
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
