import { formatBytes, plural } from '../../kernel/output/quantities.js';
import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberRoleChanged,
  SiteClaimed,
} from './member.events.js';
import { SiteRepositoryLinked, SiteRepositoryUnlinked } from './repository.events.js';
import { SiteServerCrashed } from './server.events.js';
import {
  CapabilitySet,
  ConnectorTokenIssued,
  ConnectorTokenRevoked,
  SecretDeleted,
  SecretSet,
  SiteAccessSet,
  SiteDeleted,
  SiteDescribed,
  SiteRenamed,
  SiteSlugReleased,
} from './settings.events.js';
import {
  SiteCreated,
  SiteDeployed,
  SiteExpired,
  SiteExpirySet,
  SiteForgotten,
  SiteJobQueued,
  SiteRestored,
  SiteRolledBack,
  SiteStaged,
  SiteTakenDown,
} from './site.events.js';
import {
  SiteDomainActivated,
  SiteDomainAdded,
  SiteDomainChanged,
  SiteDomainFailed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainMissed,
  SiteDomainRemoved,
} from './site-domain.events.js';
import {
  AccessTokenIssued,
  AccessTokenRevoked,
  PublisherRemoved,
  PublisherTrusted,
  PublisherUsed,
} from './token.events.js';

/** Name of a person who has left. */
export const FORMER = 'a former member';
/** Name of a member for readers who see neither their name nor their address. */
export const MEMBER = 'a member';

/** Looks up what events name by ids alone. */
export type Names = {
  readonly person: (userId: string) => string;
  /** Name of the script that acts with a token; `CI` if it has none. */
  readonly script: (means: { readonly token?: string; readonly publisher?: string }) => string;
  /** Number of a deploy of the site; null if it is unknown. */
  readonly deploy: (deployId: string) => number | null;
  /** Address that an invite was sent to; null if it is unknown or hidden from the reader. */
  readonly invited: (inviteId: string) => string | null;
};

const NO_NAMES: Names = { person: () => MEMBER, script: () => 'CI', deploy: () => null, invited: () => null };

/** Returns the line that describes an event to people, with the connected app or the script that acted, if one did. */
export function summaryOf({ type, data, actor }: SummarizedEvent, names: Names = NO_NAMES): string {
  const what = describe(type, data, actor, names);
  if (actor.token !== undefined) return `${what}, by ${names.script(actor)}`;
  return actor.client === undefined ? what : `${what}, by ${actor.client}`;
}

type Actor = {
  readonly kind?: string;
  readonly id?: string;
  /** The connected app that acted for the user. */
  readonly client?: string;
  readonly grant?: string;
  readonly token?: string;
  readonly publisher?: string;
};

type Data = Record<string, unknown>;

type SummarizedEvent = { readonly type: string; readonly data: Data; readonly actor: Actor };

/** Returns the type itself for one that this version does not know. */
function describe(type: string, data: Data, actor: Actor, names: Names): string {
  const who = typeof data.userId === 'string' ? names.person(data.userId) : MEMBER;
  const script = () =>
    names.script({
      ...(typeof data.tokenId === 'string' && { token: data.tokenId }),
      ...(typeof data.publisherId === 'string' && { publisher: data.publisherId }),
    });
  switch (type) {
    case SiteCreated.type:
      return `Created as ${data.slug}`;
    case SiteDeployed.type:
      return `${deployTitle(data)}: ${deployContent(data)}`;
    case SiteRolledBack.type:
      return `Rolled back to ${deployName(data, names)}`;
    case SiteStaged.type:
      return `${deployTitle(data)} staged: ${deployContent(data)}`;
    case SiteJobQueued.type:
      return `Deploy of ${repositoryOf(data)} queued`;
    case SiteExpirySet.type:
      return `Set to expire at ${data.expiresAt}`;
    case SiteExpired.type:
      return 'Expired';
    case SiteTakenDown.type:
      return `Taken down by the operator: ${data.reason}`;
    case SiteRestored.type:
      return 'Restored by the operator';
    case SiteClaimed.type:
      return `Claimed by ${who}`;
    case MemberInvited.type:
      return `Invited ${invitedPerson(data, names) ?? 'someone'} as ${data.role}`;
    case InviteRevoked.type:
      return `Revoked the invite${forInvited(data, names)}`;
    case MemberAdded.type:
      return `${capitalize(who)} joined as ${data.role}`;
    case MemberRoleChanged.type:
      return `${capitalize(who)} is now ${withArticle(String(data.role))}`;
    case MemberRemoved.type:
      return `${capitalize(who)} ${actor.id !== undefined && actor.id === data.userId ? 'left' : 'was removed'}`;
    case ConnectorTokenIssued.type:
      return `Connector token “${data.name}” created`;
    case ConnectorTokenRevoked.type:
      return `Connector token “${data.name}” revoked`;
    case AccessTokenIssued.type:
      return `Access token for ${script()} created with the role ${data.role}`;
    case AccessTokenRevoked.type:
      return `Access token for ${script()} revoked`;
    case PublisherTrusted.type:
      return `Trusted publisher ${script()} added`;
    case PublisherRemoved.type:
      return `Trusted publisher ${script()} removed`;
    case PublisherUsed.type:
      return `Access token issued to trusted publisher ${script()}`;
    case SecretSet.type:
      return `Secret ${data.name} set (version ${data.version})`;
    case SecretDeleted.type:
      return `Secret ${data.name} deleted`;
    case SiteAccessSet.type:
      return VISIBLE_TO[String(data.visibility)] ?? 'Visibility changed';
    case SiteDescribed.type:
      return data.title === '' ? 'Title and description changed' : `Title set to “${data.title}”`;
    case SiteRenamed.type:
      return `Renamed from ${data.before} to ${data.slug}`;
    case CapabilitySet.type:
      return `Capability ${data.name} turned ${data.enabled ? 'on' : 'off'}`;
    case SiteSlugReleased.type:
      return `Gave up the slug ${data.slug} to another site because nothing was ever deployed`;
    case SiteDeleted.type:
      return 'Deleted';
    case SiteForgotten.type:
      return 'Earlier events deleted';
    case SiteDomainAdded.type:
      return `Domain ${data.hostname} added`;
    case SiteDomainChanged.type:
      return `Settings for domain ${data.hostname} changed`;
    case SiteDomainActivated.type:
      return `Domain ${data.hostname} is live`;
    case SiteDomainMissed.type:
      return `DNS records for domain ${data.hostname} are missing`;
    case SiteDomainFound.type:
      return `DNS records for domain ${data.hostname} found again`;
    case SiteDomainLost.type:
      return `Domain ${data.hostname} lost`;
    case SiteDomainFailed.type:
      return `Domain ${data.hostname} could not be verified in time`;
    case SiteDomainRemoved.type:
      return `Domain ${data.hostname} removed`;
    case SiteRepositoryLinked.type:
      return `Linked to ${data.url}${linkDetails(data)}`;
    case SiteRepositoryUnlinked.type:
      return 'Linked repository removed';
    case SiteServerCrashed.type:
      return `The server for ${deployName(data, names)} crashed: ${data.reason}`;
    default:
      return type;
  }
}

/** `Deploy 2 “second”`; the message is left out if there is none. */
const deployTitle = ({ number, message }: Data) =>
  `Deploy ${number}${typeof message === 'string' && message !== '' ? ` “${message}”` : ''}`;

const deployContent = ({ files, bytes, program }: Data) =>
  `${program ? 'a server' : plural(Number(files), 'file')}, ${formatBytes(Number(bytes))}`;

/** `deploy 1`. Older events name deploys by id alone; a reader without a database does not know their numbers. */
function deployName({ deployId, number }: Data, names: Names): string {
  const known = typeof number === 'number' ? number : names.deploy(String(deployId));
  return `deploy ${known ?? deployId}`;
}

const repositoryOf = ({ source }: Data) =>
  typeof source === 'object' && source !== null && 'url' in source ? String(source.url) : 'a repository';

const linkDetails = ({ branch, schedule }: Data) =>
  `${branch === null ? '' : `, branch ${branch}`}${schedule === null ? '' : `, built on the schedule “${schedule}” (UTC)`}`;

const invitedPerson = ({ inviteId }: Data, names: Names) =>
  typeof inviteId === 'string' ? names.invited(inviteId) : null;

function forInvited(data: Data, names: Names): string {
  const address = invitedPerson(data, names);
  return address === null ? '' : ` for ${address}`;
}

const VISIBLE_TO: Readonly<Record<string, string>> = {
  public: 'Made public',
  password: 'Made visible to anyone with the password',
  members: 'Made visible to members only',
};

const withArticle = (role: string) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;

/** Leaves names, addresses and ids alone. */
const capitalize = (who: string) => (who === FORMER || who === MEMBER ? `A${who.slice(1)}` : who);
