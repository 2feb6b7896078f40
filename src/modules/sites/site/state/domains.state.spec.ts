import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed } from '../../../../../test/support/events/site-examples.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import {
  SiteDomainActivated,
  SiteDomainAdded,
  SiteDomainFailed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainMissed,
  SiteDomainRemoved,
} from '../../../../events/site/site-domain.events.js';
import { evolveDomains, noDomains } from './domains.state.js';

const folded = (...history: SiteEvent[]) => partAfter(evolveDomains, noDomains, ...history).domains;
const at = (revision: number, hostname = 'example.org') => ({ hostname, revision });
const added = SiteDomainAdded({ ...at(1), redirectTo: 'www.example.org' });

describe('A site’s domains', () => {
  it.each([
    ['pending', []],
    ['active', [SiteDomainActivated(at(2))]],
    ['active', [SiteDomainActivated(at(2)), SiteDomainMissed(at(3)), SiteDomainFound(at(4))]],
    ['lost', [SiteDomainActivated(at(2)), SiteDomainLost(at(3))]],
    ['failed', [SiteDomainFailed(at(2))]],
  ] as const)('a domain has the status %s after the events of its hostname', (status, events) =>
    expect(folded(added, ...events)).toEqual({
      'example.org': { status, redirectTo: 'www.example.org', revision: events.length + 1 },
    }),
  );

  it('a removed domain keeps its revision and redirects nowhere', () =>
    expect(folded(added, SiteDomainRemoved(at(5)))).toEqual({
      'example.org': { status: 'removed', redirectTo: null, revision: 5 },
    }));

  it('each hostname has its own entry, even a name like `constructor`', () =>
    expect(Object.keys(folded(added, SiteDomainActivated(at(2, 'constructor'))))).toEqual([
      'example.org',
      'constructor',
    ]));

  it('other events do not change a site’s domains', () => expect(evolveDomains(noDomains, deployed(1))).toBeNull());
});
