import { expect, it } from '@jest/globals';
import { expectNone } from '../../test/support/jest/expect-none.js';
import { catalogue } from './catalogue.js';
import { type Consequences, type KindOfChange, selectTypes } from './event-type.js';
import { siteEvents } from './site/site.events.js';

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

/** Types of events after which a request with an older `If-Match` fails, by the kind of change that they declare. */
const changes: Record<KindOfChange, string> = {
  content: 'SiteDeployed SiteRolledBack SiteStaged',
  access: 'SiteAccessSet SiteClaimed SiteTakenDown',
  presentation: 'SiteDescribed SiteRenamed',
};

it.each(Object.entries(changes))('these event types change the %s of a site: %s', (kind, types) => {
  const declared = catalogue.types.filter(({ meaning }) => meaning.changes?.kind === kind).map(({ type }) => type);
  expect(declared.sort().join(' ')).toBe(types);
});

it('every event type of a site declares what it changes', () =>
  expectNone(
    siteEvents.filter(({ meaning }) => meaning.changes === undefined).map(({ type }) => type),
    'In src/events/site/, define these types with `siteEventType`, and set `changes` to the kind of change that `If-Match` compares, or to null',
  ));
