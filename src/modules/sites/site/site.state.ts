import type { RepoSource } from '../../../events/repo-source.js';
import type { Role } from '../../../events/site/member.events.js';
import type { Program } from '../../../events/site/program.js';
import type { LinkedRepository } from '../../../events/site/repository.events.js';
import type { CapabilityName, Visibility } from '../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import type { Fold } from '../../../kernel/decider.js';
import type { Actor } from '../../../kernel/event-store.js';
import { evolveCredentials, type KnownCredentials, noCredentials } from './known-credentials.state.js';
import { evolveDomains, type KnownDomains } from './known-domains.state.js';

export type KnownDeploy = {
  readonly deployId: string;
  /** Digest of its manifest, or of the program’s output or image. */
  readonly manifest: string;
  /** Null where it is files. */
  readonly program: Program;
  /** What was live before it; null for the first, and for one that was only stored. */
  readonly replaced: string | null;
  /** The commit it was made from; null for a deploy that was sent. */
  readonly commit: string | null;
  /** Whether a trusted job built it; null where that was not recorded. */
  readonly trusted: boolean | null;
};

export type Member = { readonly memberId: string; readonly role: Role };

/** A person was invited and has not answered. */
export type OpenInvite = {
  readonly inviteId: string;
  readonly role: Role;
  /** RFC 3339. It stays here when its time is over: what counts is the time. */
  readonly expiresAt: string;
  /** The user who sent it; null where that was not recorded yet. */
  readonly invitedBy: string | null;
};

/** More than these are never open at once: of all that were sent, the rest have lapsed. */
export const MOST_INVITES = 100;

export type KnownRollback = {
  readonly rollbackId: string;
  readonly deployId: string;
  /** What was live until then. */
  readonly replaced: string;
};

export type SiteJob = {
  readonly jobId: string;
  readonly source: RepoSource;
  /** The link whose branch it builds with nothing overridden; null for any other job. */
  readonly linkId: string | null;
};

/** The repository that the site is built from. */
export type SiteLink = LinkedRepository & {
  readonly linkId: string;
  /** The membership of the owner who set it. */
  readonly memberId: string;
};

export type Capability = { readonly enabled: boolean; readonly config: Readonly<Record<string, unknown>> };

export type KnownSecret = { readonly version: number; readonly deleted: boolean };

/** What the rules about a site need to know, and nothing more. Read models are elsewhere. */
export type Site =
  | { readonly status: 'unknown' }
  | ({
      readonly status: 'live';
      readonly slug: string;
      readonly editTokenHash: string | null;
      readonly live: KnownDeploy | null;
      readonly deploys: readonly KnownDeploy[];
      readonly rollbacks: readonly KnownRollback[];
      /** RFC 3339; null for a site that stays. */
      readonly expiresAt: string | null;
      /** Whether each publication sets the expiry anew. */
      readonly renewsExpiry: boolean;
      readonly takenDown: boolean;
      /** By user. A site without an owner has none. */
      readonly members: Readonly<Record<string, Member>>;
      /** Users who are owners, the longest-standing first. */
      readonly owners: readonly string[];
      /** The oldest first. */
      readonly invites: readonly OpenInvite[];
      /** The newest job that was to deploy it, and the one before: what may be run again. */
      readonly jobs: readonly SiteJob[];
      readonly visibility: Visibility;
      /** Null where no password is asked for. */
      readonly passwordId: string | null;
      readonly title: string;
      readonly description: string;
      readonly robots: 'index' | 'noindex';
      /** Slugs that it had before and keeps, the oldest first. */
      readonly formerSlugs: readonly string[];
      readonly capabilities: Readonly<Partial<Record<CapabilityName, Capability>>>;
      /** The version of each secret that there is or was, by name: one that comes again counts on. */
      readonly secrets: Readonly<Record<string, KnownSecret>>;
      readonly domains: KnownDomains;
      /** Null if none is linked. */
      readonly repository: SiteLink | null;
      /** The time in the schedule (RFC 3339) of the newest scheduled job; null if there was none. */
      readonly builtDueAt: string | null;
      /** The deploy whose server keeps the secrets that it had before trust was recorded; null if there is none. */
      readonly keepsSecrets: string | null;
      /** How many rights to deploy it have ended: what they have left in a cache is not used any more. */
      readonly endedRights: number;
      /** Whether nothing was done with it since it was made but put jobs into the queue. */
      readonly isUntouched: boolean;
    } & KnownCredentials)
  | { readonly status: 'expired'; readonly slug: string; readonly editTokenHash: string | null }
  | {
      readonly status: 'deleted';
      readonly slug: string;
      readonly formerSlugs: readonly string[];
      /** Whether its slugs are kept from others for a while. */
      readonly keepsSlugs: boolean;
      readonly editTokenHash: null;
    };

export const site: Fold<Site, SiteEvent> = {
  name: 'site',
  version: 15,
  initial: { status: 'unknown' },

  evolve(state, event) {
    const next = countEndedRight(state, event, changed(state, event));
    if (next.status !== 'live' || !next.isUntouched || isOfMaking(event)) return next;
    return { ...next, isUntouched: false };
  },
};

/** What making a site records, and what asking for a job on it does. Whatever else there will be is something done with it. */
const isOfMaking = (event: SiteEvent) =>
  event.type === 'SiteCreated' ||
  event.type === 'SiteExpirySet' ||
  event.type === 'SiteJobQueued' ||
  (event.type === 'MemberAdded' && event.data.inviteId === null);

function countEndedRight(before: Site, event: SiteEvent, after: Site): Site {
  const isCounted = before.status === 'live' && after.status === 'live' && endsRight(before.members, event);
  return isCounted ? { ...after, endedRights: after.endedRights + 1 } : after;
}

const RANK = { owner: 2, editor: 1, viewer: 0 } as const;

/** Whether somebody who could deploy the site no longer can, or has a lower role. */
function endsRight(members: Readonly<Record<string, Member>>, event: SiteEvent): boolean {
  switch (event.type) {
    case 'SiteClaimed':
    case 'AccessTokenRevoked':
    case 'PublisherRemoved':
      return true;
    case 'MemberRemoved':
      return members[event.data.userId]?.role !== 'viewer';
    case 'MemberRoleChanged':
      return RANK[event.data.role] < RANK[members[event.data.userId]?.role ?? 'viewer'];
    default:
      return false;
  }
}

/** Folded events name their actor; those that a rule has only proposed do not. */
function changed(state: Site, event: SiteEvent & { readonly actor?: Actor }): Site {
  if (event.type === 'SiteCreated') {
    const { slug, editTokenHash } = event.data;
    return {
      status: 'live',
      slug,
      editTokenHash,
      live: null,
      deploys: [],
      rollbacks: [],
      expiresAt: null,
      renewsExpiry: false,
      takenDown: false,
      members: {},
      owners: [],
      invites: [],
      jobs: [],
      visibility: 'public',
      passwordId: null,
      title: '',
      description: '',
      robots: 'index',
      formerSlugs: [],
      capabilities: {},
      secrets: {},
      domains: {},
      ...noCredentials,
      repository: null,
      builtDueAt: null,
      keepsSecrets: null,
      endedRights: 0,
      isUntouched: true,
    };
  }
  if (event.type === 'SiteForgotten') return { status: 'unknown' };
  if (state.status !== 'live') return state;

  switch (event.type) {
    case 'SiteDeployed': {
      const { deployId, manifest, program, replaced, commit, trusted } = event.data;
      const live = { deployId, manifest, program, replaced, commit, trusted };
      const keepsSecrets = program !== null && trusted === null ? deployId : null;
      return { ...state, live, deploys: [...state.deploys, live], keepsSecrets };
    }
    case 'SiteStaged': {
      const { deployId, manifest, program, commit, trusted } = event.data;
      const staged = { deployId, manifest, program, replaced: null, commit, trusted };
      return { ...state, deploys: [...state.deploys, staged] };
    }
    case 'SiteJobQueued': {
      const { jobId, source, linkId, dueAt } = event.data;
      const jobs = [{ jobId, source, linkId }, ...state.jobs.slice(0, 1)];
      return { ...state, jobs, builtDueAt: dueAt ?? state.builtDueAt };
    }
    case 'SiteRolledBack': {
      const { deployId, replaced, rollbackId, trusted } = event.data;
      const live = state.deploys.find((deploy) => deploy.deployId === deployId);
      const rollbacks =
        rollbackId === null ? state.rollbacks : [...state.rollbacks, { rollbackId, deployId, replaced }];
      // What was recorded before trust was also moved the secrets.
      const keepsSecrets = trusted === null && live?.program ? deployId : trusted === null ? null : state.keepsSecrets;
      return live ? { ...state, live, rollbacks, keepsSecrets } : state;
    }
    case 'SiteExpirySet':
      return { ...state, expiresAt: event.data.expiresAt, renewsExpiry: event.data.renews };
    case 'SiteExpired':
      return { status: 'expired', slug: state.slug, editTokenHash: state.editTokenHash };
    case 'SiteClaimed': {
      const { memberId, userId } = event.data;
      const members = { ...state.members, [userId]: { memberId, role: 'owner' as const } };
      const owners = ownersAfter(state.owners, userId, 'owner');
      return { ...state, editTokenHash: null, expiresAt: null, renewsExpiry: false, members, owners };
    }
    case 'MemberInvited':
      return { ...state, invites: [...state.invites.slice(1 - MOST_INVITES), event.data] };
    case 'InviteRevoked':
      return { ...state, invites: without(state.invites, event.data.inviteId) };
    case 'MemberAdded': {
      const { memberId, userId, role, inviteId } = event.data;
      const members = { ...state.members, [userId]: { memberId, role } };
      const owners = ownersAfter(state.owners, userId, role);
      return { ...state, members, owners, invites: without(state.invites, inviteId) };
    }
    case 'MemberRoleChanged': {
      const { memberId, userId, role } = event.data;
      const members = { ...state.members, [userId]: { memberId, role } };
      return { ...state, members, owners: ownersAfter(state.owners, userId, role) };
    }
    case 'MemberRemoved': {
      const { [event.data.userId]: _gone, ...members } = state.members;
      return { ...state, members, owners: ownersAfter(state.owners, event.data.userId, null) };
    }
    case 'SiteTakenDown':
      return { ...state, takenDown: true };
    case 'SiteRestored':
      return { ...state, takenDown: false };
    case 'SiteAccessSet':
    case 'SiteDescribed':
      return { ...state, ...event.data };
    case 'SiteRenamed': {
      const { slug, before } = event.data;
      const formerSlugs = [...state.formerSlugs.filter((former) => former !== slug && former !== before), before];
      return { ...state, slug, formerSlugs };
    }
    case 'SiteDeleted':
      return ended(state, true);
    case 'SiteSlugReleased':
      return ended(state, false);
    case 'CapabilitySet': {
      const { name, enabled, config } = event.data;
      return { ...state, capabilities: { ...state.capabilities, [name]: { enabled, config } } };
    }
    case 'SecretSet':
    case 'SecretDeleted': {
      const { name, version } = event.data;
      const deleted = event.type === 'SecretDeleted';
      return { ...state, secrets: { ...state.secrets, [name]: { version, deleted } } };
    }
    case 'SiteRepositoryLinked':
      return { ...state, repository: event.data };
    case 'SiteRepositoryUnlinked':
      return { ...state, repository: null };
    case 'ConnectorTokenIssued':
    case 'ConnectorTokenRevoked':
    case 'AccessTokenIssued':
    case 'AccessTokenRevoked':
    case 'PublisherTrusted':
    case 'PublisherRemoved':
      return { ...state, ...evolveCredentials(state, event, memberIdOf(state.members, event.actor)) };
    case 'SiteDomainAdded':
    case 'SiteDomainChanged':
    case 'SiteDomainActivated':
    case 'SiteDomainMissed':
    case 'SiteDomainFound':
    case 'SiteDomainLost':
    case 'SiteDomainFailed':
    case 'SiteDomainRemoved':
      return { ...state, domains: evolveDomains(state.domains, event) };
    default:
      return state;
  }
}

const memberIdOf = (members: Readonly<Record<string, Member>>, actor: Actor | undefined): string | null =>
  actor?.id !== undefined && Object.hasOwn(members, actor.id) ? (members[actor.id]?.memberId ?? null) : null;

const ended = ({ slug, formerSlugs }: Extract<Site, { status: 'live' }>, keepsSlugs: boolean): Site => ({
  status: 'deleted',
  slug,
  formerSlugs,
  keepsSlugs,
  editTokenHash: null,
});

/** Owners once a user has a role, or none: one who becomes an owner again is the newest. */
function ownersAfter(owners: readonly string[], userId: string, role: Role | null): readonly string[] {
  if (role !== 'owner') return owners.filter((owner) => owner !== userId);
  return owners.includes(userId) ? owners : [...owners, userId];
}

const without = (invites: readonly OpenInvite[], gone: string | null) =>
  invites.filter(({ inviteId }) => inviteId !== gone);
