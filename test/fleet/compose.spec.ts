import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { ROLES } from '../../src/process/nest/roles.js';
import { readSettings } from '../../src/settings.js';
import { kurrentAddress } from '../../src/store/kurrent/kurrent.address.js';

type Service = {
  readonly image?: string;
  readonly build?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
};

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** `${NAME:-word}` and `${NAME:?word}`, as the specification has them. */
function filledIn(env: Readonly<Record<string, string>>, name = '', kind = '', word = ''): string {
  const value = env[name] || (kind === '-' ? word : '');
  if (kind === '?' && !value) throw new Error(`${name}: ${word}`);
  return value;
}

describe('docker-compose.yml', () => {
  let text: string;
  let compose: { readonly services: Readonly<Record<string, Service>>; readonly networks: Record<string, object> };
  let example: Record<string, string>;
  /** Services of this file that run Stele. */
  let ours: (readonly [string, Service])[];

  beforeAll(async () => {
    text = await readFile('docker-compose.yml', 'utf8');
    compose = parse(text, { merge: true });
    ours = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
    const lines = (await readFile('.env.example', 'utf8')).matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm);
    example = Object.fromEntries([...lines].reverse().map(([, name, value]) => [name, value]));
  });

  /** As Compose reads it, with what `.env` says. */
  const filled = (env: Readonly<Record<string, string>>) =>
    JSON.parse(JSON.stringify(compose), (_key, value) =>
      typeof value === 'string' ? value.replace(VARIABLE, (_all, ...found) => filledIn(env, ...found)) : value,
    ) as typeof compose;

  it('is what the specification of Compose takes', async () => {
    const schema = JSON.parse(await readFile('test/fixtures/compose-spec.json', 'utf8'), (key, value) =>
      (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
    );
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
    const isCompose = ajv.compile(schema);
    isCompose(compose);
    expect(isCompose.errors).toBeNull();
    expect(isCompose({ services: { api: { imagine: 'x' } } })).toBe(false);
  });

  it('starts every role, as often as the issue of scale asks, and settings that Stele takes', () => {
    const env = { ...example, POSTGRES_PASSWORD: 'p'.repeat(48), REDIS_PASSWORD: 'r'.repeat(48) };
    const all = filled(env);
    expect(ours.map(([name, { deploy }]) => [name, deploy?.replicas])).toEqual([
      ['api', 2],
      ['serve', 1],
      ['worker', 2],
      ['projector', 2],
    ]);
    const roles = ours.map(([name]) => {
      const settings = readSettings(all.services[name]?.environment ?? {});
      expect(settings).toMatchObject({
        baseUrl: 'http://localhost:8080',
        siteDomain: 'localhost:8080',
        redisUrl: `redis://:${env.REDIS_PASSWORD}@redis:6379`,
      });
      return [...settings.roles].join();
    });
    expect(roles).toEqual([...ROLES]);
  });

  it('has no password of its own, and does not start without those that are set', () => {
    expect(example).toMatchObject({ POSTGRES_PASSWORD: '', REDIS_PASSWORD: '' });
    expect(() => filled(example)).toThrow('POSTGRES_PASSWORD: Set it in .env');
    expect(() => filled({ ...example, POSTGRES_PASSWORD: 'p' })).toThrow('REDIS_PASSWORD: Set it in .env');
  });

  it('brings events to its own KurrentDB with the address that .env.example names', async () => {
    const [address = ''] = /esdb:\/\/\S+(?=,)/.exec(await readFile('.env.example', 'utf8')) ?? [];
    const all = filled({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r', EVENTSTORE_URL: address });
    for (const [name, { networks }] of ours) {
      const { eventStoreUrl } = readSettings(all.services[name]?.environment ?? {});
      const [host = ''] = kurrentAddress(eventStoreUrl ?? '').location.split(':2113');
      expect(networks?.filter((network) => compose.services[host]?.networks?.includes(network))).toEqual(['inside']);
    }
    const { location } = kurrentAddress(address);
    expect(compose.services[location.replace(':2113', '')]?.image).toMatch(/kurrentdb/);
  });

  it('names in .env.example whatever can be set', () => {
    expect([...text.matchAll(VARIABLE)].map(([, name]) => name).filter((name = '') => !(name in example))).toEqual([]);
  });

  it('is reached from this machine only, unless .env says otherwise, and its databases from nowhere', () => {
    const { services, networks } = filled({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r' });
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(networks.inside).toMatchObject({ internal: true });
    for (const name of ['postgres', 'redis', 'kurrentdb'])
      expect([name, services[name]?.networks, services[name]?.ports]).toEqual([name, ['inside'], undefined]);
  });

  it('gives Stele nothing to write but its data, and no rights to gain', async () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        volumes: ['data:/data'],
      });
    }
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER 1000:1000$/m);
    expect(last).toMatch(/^HEALTHCHECK [\s\S]*\/ready/m);
    expect(last).toMatch(/STELE_DATA=\/data\b/);
  });

  it('has Caddy look for its services under the names that they have', async () => {
    const caddyfile = await readFile('Caddyfile', 'utf8');
    const named = [...caddyfile.matchAll(/import named (\w+)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(['api', 'serve']));
    const variables = [...caddyfile.matchAll(/\{\$(STELE_\w+)/g)].map(([, name]) => name ?? '');
    const given = compose.services.caddy?.environment ?? {};
    // Where its processes are is for those who start them otherwise.
    expect(new Set(variables)).toEqual(new Set([...Object.keys(given), 'STELE_API_AT', 'STELE_SERVE_AT']));
  });
});
