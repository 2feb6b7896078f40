import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

const statusBy = (environment: Record<string, string>) => readSettings(environment).status;

describe('The settings for the service’s self-tests', () => {
  it('by default, the service tests itself once a minute, through its base URL or directly', () =>
    expect(statusBy({ PORT: '4000', HOST: '0.0.0.0' })).toEqual({
      ...{ everyMs: 60_000, front: null },
      ...{ listener: { host: '127.0.0.1', port: 4_000 }, servesSites: true },
    }));

  it('the self-tests can have another interval, go through a proxy, or be turned off', () => {
    expect(statusBy({ STELE_STATUS_PROBES: '20s' }).everyMs).toBe(20_000);
    expect(statusBy({ STELE_STATUS_PROBES: 'off' }).everyMs).toBeNull();
    expect(statusBy({ STELE_STATUS_FRONT: 'http://caddy:8080' }).front).toBe('http://caddy:8080');
  });

  it.each([
    ['STELE_STATUS_PROBES', '2m'],
    ['STELE_STATUS_PROBES', 'on'],
    ['STELE_STATUS_PROBES', '0s'],
    ['STELE_STATUS_FRONT', 'http://caddy:8080/status'],
    ['STELE_STATUS_FRONT', 'caddy:8080'],
  ])('reject the setting %s=%s', (name, value) =>
    expect(() => statusBy({ [name]: value })).toThrow(new RegExp(`^${name} must be `)),
  );
});
