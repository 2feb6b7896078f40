import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';
import { SettingsError } from './settings-fault.js';

const domains = (environment: Record<string, string>) => readSettings(environment).domains;

describe('Settings for custom domains', () => {
  it('accept DNS resolvers as IP addresses with optional ports', () =>
    expect(
      domains({ STELE_DNS_SERVERS: '9.9.9.9, 127.0.0.1:5353 [::1]:5353,[2620:fe::9] 2620:fe::fe' }).dnsServers,
    ).toEqual(['9.9.9.9', '127.0.0.1:5353', '[::1]:5353', '[2620:fe::9]', '2620:fe::fe']));

  it('accept the IP addresses of the service', () =>
    expect(domains({ STELE_ADDRESSES: '203.0.113.7 2001:DB8::7' }).addresses).toEqual(['203.0.113.7', '2001:DB8::7']));

  it.each([
    ['caddy:443', { host: 'caddy', port: 443 }],
    ['Proxy.example.org:8443', { host: 'proxy.example.org', port: 8443 }],
    ['127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ])('accept %s as the address of the proxy that terminates TLS', (text, at) =>
    expect(domains({ STELE_TLS_AT: text }).tlsAt).toEqual(at),
  );

  it('accept another certificate authority', () => {
    const authority = { STELE_ACME_EMAIL: 'ops@example.org', STELE_ACME_URL: 'https://127.0.0.1:14000/dir/' };
    expect(domains(authority)).toMatchObject({ acmeEmail: 'ops@example.org', acmeUrl: 'https://127.0.0.1:14000/dir/' });
  });

  it.each([
    ['STELE_DNS_SERVERS', 'dns.example'],
    ['STELE_DNS_SERVERS', ','],
    ['STELE_DNS_SERVERS', '127.0.0.1:0'],
    ['STELE_DNS_SERVERS', '127.0.0.1:65536'],
    ['STELE_DNS_SERVERS', '127.0.0.1:'],
    ['STELE_DNS_SERVERS', '[127.0.0.256]:53'],
    ['STELE_DNS_SERVERS', '[::1'],
    ['STELE_DNS_SERVERS', 'fe80::1%eth0'],
    ['STELE_DNS_SERVERS', '9.9.9.9; 1.1.1.1'],
    ['STELE_ADDRESSES', 'pages.example'],
    ['STELE_ADDRESSES', '203.0.113.0/24'],
    ['STELE_ADDRESSES', '203.0.113.7:443'],
    ['STELE_TLS_AT', 'caddy'],
    ['STELE_TLS_AT', 'https://caddy:443'],
    ['STELE_TLS_AT', 'caddy:0'],
    ['STELE_TLS_AT', '::1:443'],
    ['STELE_TLS_AT', '[127.0.0.1]:443'],
    ['STELE_ACME_EMAIL', 'ops'],
    ['STELE_ACME_EMAIL', 'Ops <ops@example.org>'],
    ['STELE_ACME_EMAIL', 'ops@example.org}'],
    ['STELE_ACME_URL', 'letsencrypt'],
    ['STELE_ACME_URL', 'http://acme.example/dir'],
    ['STELE_ACME_URL', 'https://acme.example/{$HOME}'],
  ])('reject the setting %s=%s', (name, value) => {
    const read = () => readSettings({ [name]: value });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(new RegExp(`^${name} must be .`));
  });
});
