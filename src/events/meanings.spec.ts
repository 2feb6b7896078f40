import { expect, it } from '@jest/globals';
import { catalogue } from './catalogue.js';
import { type Consequences, selectTypes } from './event-type.js';

/** Live streams, servers, statistics and logs depend on these lists. A mistake could go unnoticed for a long time. */
const meanings: Record<keyof Consequences, string> = {
  endsStream: 'JobFailed JobStopped JobSucceeded RunFailed RunForgotten RunSucceeded SiteDeleted',
  changesRights: 'MemberRemoved MemberRoleChanged SiteAccessSet SiteClaimed SiteExpired SiteTakenDown',
  removesPerson: 'MemberRemoved',
  movesLive: 'SiteDeployed SiteRolledBack',
  stopsServing: 'SiteDeleted SiteExpired SiteTakenDown',
  endsSite: 'SiteDeleted SiteExpired',
  isDeploy: 'SiteDeployed SiteRolledBack SiteStaged',
  isWarning: 'SiteDomainFailed SiteDomainLost SiteDomainMissed SiteExpired SiteTakenDown',
};

it.each(Object.entries(meanings) as [keyof Consequences, string][])(
  '%s is a consequence of these event types: %s',
  (consequence, types) => expect([...selectTypes(catalogue.types, consequence)].sort().join(' ')).toBe(types),
);
