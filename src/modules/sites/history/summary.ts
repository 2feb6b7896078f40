import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberRoleChanged,
  SiteClaimed,
} from '../../../events/member.events.js';
import {
  CapabilitySet,
  SecretDeleted,
  SecretSet,
  SiteDeleted,
  SiteDescribed,
  SiteRenamed,
} from '../../../events/settings.events.js';
import {
  SiteCreated,
  SiteDeployed,
  SiteExpired,
  SiteExpirySet,
  SiteJobQueued,
  SiteRestored,
  SiteRolledBack,
  SiteStaged,
  SiteTakenDown,
} from '../../../events/site.events.js';

/** One line for people. A type this version does not know is named as it is. */
export function summaryOf(type: string, data: Record<string, unknown>): string {
  switch (type) {
    case SiteCreated.type:
      return `Created as ${data.slug}`;
    case SiteDeployed.type:
      return `Deploy ${data.number}: ${data.files === 1 ? '1 file' : `${data.files} files`}, ${data.bytes} bytes`;
    case SiteRolledBack.type:
      return `Rolled back to ${data.deployId}`;
    case SiteStaged.type:
      return `Deploy ${data.number} stored, not shown`;
    case SiteJobQueued.type:
      return `Job ${data.jobId} queued`;
    case SiteExpirySet.type:
      return `To expire at ${data.expiresAt}`;
    case SiteExpired.type:
      return 'Expired';
    case SiteTakenDown.type:
      return `Taken down: ${data.reason}`;
    case SiteRestored.type:
      return 'Restored';
    case SiteClaimed.type:
      return `Claimed by ${data.userId}`;
    case MemberInvited.type:
      return `Somebody invited as ${data.role}`;
    case InviteRevoked.type:
      return 'Invite revoked';
    case MemberAdded.type:
      return `${data.userId} joined as ${data.role}`;
    case MemberRoleChanged.type:
      return `${data.userId} made ${data.role}`;
    case MemberRemoved.type:
      return `${data.userId} removed`;
    case SecretSet.type:
      return `Secret ${data.name} set, version ${data.version}`;
    case SecretDeleted.type:
      return `Secret ${data.name} deleted`;
    case SiteDescribed.type:
      return data.title === '' ? 'Described anew' : `Described as ${data.title}`;
    case SiteRenamed.type:
      return `Renamed from ${data.before} to ${data.slug}`;
    case CapabilitySet.type:
      return `Capability ${data.name} switched ${data.enabled ? 'on' : 'off'}`;
    case SiteDeleted.type:
      return 'Deleted';
    default:
      return type;
  }
}
