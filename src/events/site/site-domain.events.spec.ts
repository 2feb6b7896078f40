import { describe } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { siteDomainEvents } from './site-domain.events.js';

const told = { hostname: 'www.example.com', revision: 3 };

describe('Domain events in a site’s history', () => {
  storedEventContract(siteDomainEvents, {
    SiteDomainAdded: [{ ...told, redirectTo: 'example.com' }],
    SiteDomainChanged: [{ ...told, redirectTo: 'example.com', visibility: 'members', hsts: true }],
    SiteDomainActivated: [told],
    SiteDomainMissed: [told],
    SiteDomainFound: [told],
    SiteDomainLost: [told],
    SiteDomainFailed: [told],
    SiteDomainRemoved: [told],
  });
});
