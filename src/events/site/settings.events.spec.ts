import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { catalogue } from '../catalogue.js';
import { settingsEvents } from './settings.events.js';

describe('Site settings events', () => {
  storedEventContract(settingsEvents, {
    SiteAccessSet: [{ visibility: 'password', passwordId: 'pwd_01jd4v7h2kpf4s1w8v6y5x3q0n' }],
    SiteDescribed: [{ title: 'Spring', description: 'Colours of spring', robots: 'noindex' }],
    SiteRenamed: [{ slug: 'spring', before: 'amber-otter-4821' }],
    SiteSlugReleased: [{ slug: 'amber-otter', jobId: 'job_1' }],
    SiteDeleted: [{}],
    CapabilitySet: [
      { name: 'spa', enabled: true, config: { fallback: '/index.html' } },
      { name: 'egress', enabled: true, config: { hosts: ['api.example.com'] } },
    ],
    SecretSet: [{ name: 'API_KEY', version: 2 }],
    SecretDeleted: [{ name: 'API_KEY', version: 2 }],
    ConnectorTokenIssued: [{ tokenId: 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n', name: 'my machine' }],
    ConnectorTokenRevoked: [{ tokenId: 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n', name: 'my machine' }],
  });

  it.each([
    ['SiteAccessSet', { visibility: 'password', passwordId: 'pwd_1', password: 'swordfish' }, /password/],
    ['ConnectorTokenIssued', { tokenId: 'ctk_1', name: 'x', token: 'swordfish' }, /token/],
    ['SecretSet', { name: 'API_KEY', version: 1, value: 'swordfish' }, /value/],
  ])('of the type %s do not contain the value of a secret', (type, data, named) =>
    expect(() => catalogue.write(type, data)).toThrow(named),
  );
});
