import { formatBytes, plural } from '../../kernel/output/quantities.js';
import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberRoleChanged,
  SiteClaimed,
} from './member.events.js';
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

/** What people who left are called. */
export const FORMER = 'a former member';
/** What members are called by whom neither a name nor their address is shown to. */
export const MEMBER = 'a member';

/** What to call those whom events name by ids alone. */
export type Names = {
  readonly person: (userId: string) => string;
  /** What a script is called that acts with a token; without a name of its own, `CI`. */
  readonly script: (means: { readonly token?: string; readonly publisher?: string }) => string;
};

const NAMELESS: Names = { person: (userId) => userId, script: () => 'CI' };

/** The line of an event for people, with the program or the script that acted, if one did. */
export function summaryOf({ type, data, actor }: SummarizedEvent, names: Names = NAMELESS): string {
  const what = whatHappened(type, data, names);
  if (actor.token !== undefined) return `${what}, by ${names.script(actor)}`;
  return actor.client === undefined ? what : `${what}, by ${actor.client}`;
}

type SummarizedEvent = {
  readonly type: string;
  readonly data: Record<string, unknown>;
  /** Who did it; `client` is the program that acted for them. */
  readonly actor: {
    readonly kind?: string;
    readonly id?: string;
    readonly client?: string;
    readonly grant?: string;
    readonly token?: string;
    readonly publisher?: string;
  };
};

/** A type this version does not know is named as it is. */
function whatHappened(type: string, data: Record<string, unknown>, names: Names): string {
  const who = typeof data.userId === 'string' ? names.person(data.userId) : '';
  const means = {
    ...(typeof data.tokenId === 'string' && { token: data.tokenId }),
    ...(typeof data.publisherId === 'string' && { publisher: data.publisherId }),
  };
  switch (type) {
    case SiteCreated.type:
      return `Created as ${data.slug}`;
    case SiteDeployed.type:
      return `Deploy ${data.number}: ${whatIsIn(data)}, ${formatBytes(Number(data.bytes))}`;
    case SiteRolledBack.type:
      return `Rolled back to ${data.deployId}`;
    case SiteStaged.type:
      return `Deploy ${data.number} stored as a preview`;
    case SiteJobQueued.type:
      return `Job ${data.jobId} queued`;
    case SiteExpirySet.type:
      return `Set to expire at ${data.expiresAt}`;
    case SiteExpired.type:
      return 'Expired';
    case SiteTakenDown.type:
      return `Taken down: ${data.reason}`;
    case SiteRestored.type:
      return 'Restored';
    case SiteClaimed.type:
      return `Claimed by ${who}`;
    case MemberInvited.type:
      return `Someone was invited as ${data.role}`;
    case InviteRevoked.type:
      return 'Invite revoked';
    case MemberAdded.type:
      return `${capital(who)} joined as ${data.role}`;
    case MemberRoleChanged.type:
      return `Role of ${who} changed to ${data.role}`;
    case MemberRemoved.type:
      return `${capital(who)} removed`;
    case ConnectorTokenIssued.type:
      return `Connector token ${data.name} issued`;
    case ConnectorTokenRevoked.type:
      return `Connector token ${data.name} revoked`;
    case AccessTokenIssued.type:
      return `Token for ${names.script(means)} created, with the rights of ${data.role} at most`;
    case AccessTokenRevoked.type:
      return `Token for ${names.script(means)} revoked`;
    case PublisherTrusted.type:
      return `Publisher ${names.script(means)} added`;
    case PublisherRemoved.type:
      return `Publisher ${names.script(means)} removed`;
    case PublisherUsed.type:
      return 'A CI job authenticated as a trusted publisher';
    case SecretSet.type:
      return `Secret ${data.name} set, version ${data.version}`;
    case SecretDeleted.type:
      return `Secret ${data.name} deleted`;
    case SiteAccessSet.type:
      return SEEN_BY[String(data.visibility)] ?? 'Visibility changed';
    case SiteDescribed.type:
      return data.title === '' ? 'Description changed' : `Described as ${data.title}`;
    case SiteRenamed.type:
      return `Renamed from ${data.before} to ${data.slug}`;
    case CapabilitySet.type:
      return `Capability ${data.name} switched ${data.enabled ? 'on' : 'off'}`;
    case SiteSlugReleased.type:
      return `Slug ${data.slug} released to another site, because job ${data.jobId} made no deploy`;
    case SiteDeleted.type:
      return 'Deleted';
    case SiteForgotten.type:
      return 'Earlier history was deleted';
    case SiteDomainAdded.type:
      return `Domain ${data.hostname} added`;
    case SiteDomainChanged.type:
      return `Domain ${data.hostname} changed`;
    case SiteDomainActivated.type:
      return `Domain ${data.hostname} is active`;
    case SiteDomainMissed.type:
      return `DNS records of domain ${data.hostname} are missing`;
    case SiteDomainFound.type:
      return `DNS records of domain ${data.hostname} are back`;
    case SiteDomainLost.type:
      return `Domain ${data.hostname} lost`;
    case SiteDomainFailed.type:
      return `Domain ${data.hostname} was never set up`;
    case SiteDomainRemoved.type:
      return `Domain ${data.hostname} removed`;
    case SiteServerCrashed.type:
      return `The server of ${data.deployId} crashed: ${data.reason}`;
    default:
      return type;
  }
}

const whatIsIn = ({ files, program }: Record<string, unknown>) =>
  program ? 'a server' : plural(Number(files), 'file');

const SEEN_BY: Readonly<Record<string, string>> = {
  public: 'Visible to everyone',
  password: 'Visible to everyone with the password',
  members: 'Visible to its members',
};
/** Names, addresses and ids stay as they are. */
const capital = (who: string) => (who === FORMER || who === MEMBER ? `A${who.slice(1)}` : who);
