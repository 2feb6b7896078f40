import { expect, it } from '@jest/globals';
import { catalogue } from './catalogue.js';
import { type Consequences, selectTypes } from './event-type.js';

/** Live streams, servers, statistics and logs depend on these lists, and a wrong one may go unnoticed for long. */
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

it.each(Object.entries(meanings) as [keyof Consequences, string][])('%s applies to %s', (consequence, types) =>
  expect([...selectTypes(catalogue.types, consequence)].sort().join(' ')).toBe(types),
);
