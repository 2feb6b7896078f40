import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Fold } from '../../../../kernel/decider.js';
import {
  type AvailabilityState,
  availabilityVersion,
  availableForever,
  evolveAvailability,
} from './availability.state.js';
import { type ChangesState, changesVersion, createdAtRevision, evolveChanges } from './changes.state.js';
import { type CredentialsState, credentialsVersion, evolveCredentials, noCredentials } from './credentials.state.js';
import { type DeploysState, deploysVersion, evolveDeploys, noDeploys } from './deploys.state.js';
import { type DomainsState, domainsVersion, evolveDomains, noDomains } from './domains.state.js';
import { evolvePeople, noPeople, type PeopleState, peopleVersion } from './people.state.js';
import { defaultSettings, evolveSettings, type SettingsState, settingsVersion } from './settings.state.js';

/** State required by the rules about a site. Read models are separate. */
export type Site =
  | { readonly status: 'unknown' }
  | LiveSite
  | {
      readonly status: 'expired';
      readonly slug: string;
      readonly takenDown: boolean;
      readonly editTokenHash: string | null;
    }
  | {
      readonly status: 'deleted';
      readonly slug: string;
      readonly formerSlugs: readonly string[];
      /** Whether the slugs of the deleted site stay reserved for some time. */
      readonly keepsSlugs: boolean;
      readonly editTokenHash: null;
    };

/**
 * State of a live site, composed of parts such as deploys and people. The file of each part defines its state and how
 * events change it.
 */
export type LiveSite = {
  readonly status: 'live';
  /** Whether nothing has happened to the site since it was created, apart from queueing jobs. */
  readonly isUntouched: boolean;
} & AvailabilityState &
  DeploysState &
  PeopleState &
  CredentialsState &
  SettingsState &
  DomainsState &
  ChangesState;

const concerns: readonly ((before: LiveSite, event: SiteEvent, revision: number) => Partial<LiveSite> | null)[] = [
  evolveAvailability,
  evolveDeploys,
  evolvePeople,
  evolveCredentials,
  evolveSettings,
  evolveDomains,
  evolveChanges,
];

/** Version of the code in this file. Each part of the state has its own version. */
const ownVersion = 10;

/** The version of the state is the sum of these versions, so incrementing any of them makes older snapshots invalid. */
const versions = [
  ownVersion,
  availabilityVersion,
  deploysVersion,
  peopleVersion,
  credentialsVersion,
  settingsVersion,
  domainsVersion,
  changesVersion,
];

export const site: Fold<Site, SiteEvent> = {
  name: 'site',
  version: versions.reduce((sum, version) => sum + version, 0),
  initial: { status: 'unknown' },

  evolve(state, event, revision) {
    if (event.type === 'SiteCreated') return create(event.data, revision);
    if (event.type === 'SiteForgotten') return { status: 'unknown' };
    if (state.status !== 'live') return state;
    return end(state, event) ?? change(state, event, revision);
  },
};

const create = ({ slug, editTokenHash }: Created, revision: number): LiveSite => ({
  status: 'live',
  isUntouched: true,
  ...availableForever,
  ...noDeploys,
  ...noPeople,
  editTokenHash,
  ...noCredentials,
  ...defaultSettings(slug),
  ...noDomains,
  ...createdAtRevision(revision),
});

type Created = Extract<SiteEvent, { readonly type: 'SiteCreated' }>['data'];

function end({ slug, formerSlugs, takenDown, editTokenHash }: LiveSite, { type }: SiteEvent): Site | null {
  switch (type) {
    case 'SiteExpired':
      return { status: 'expired', slug, takenDown, editTokenHash };
    case 'SiteDeleted':
      return { status: 'deleted', slug, formerSlugs, keepsSlugs: true, editTokenHash: null };
    case 'SiteSlugReleased':
      return { status: 'deleted', slug, formerSlugs, keepsSlugs: false, editTokenHash: null };
    default:
      return null;
  }
}

/**
 * Applies an event to each part of the state. Every part sees the site as it was before the event. Returns the same
 * object if no part changes.
 */
function change(state: LiveSite, event: SiteEvent, revision: number): LiveSite {
  let next = state;
  for (const evolve of concerns) {
    const changed = evolve(state, event, revision);
    if (changed !== null) next = { ...next, ...changed };
  }
  return next.isUntouched && !isPartOfCreation(event) ? { ...next, isUntouched: false } : next;
}

/** Reports whether an event belongs to creating a site or queueing a job. All other events count as use of the site. */
const isPartOfCreation = (event: SiteEvent) =>
  event.type === 'SiteExpirySet' ||
  event.type === 'SiteJobQueued' ||
  (event.type === 'MemberAdded' && event.data.inviteId === null);
