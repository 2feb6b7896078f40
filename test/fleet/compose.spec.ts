import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { ROLES } from '../../src/nest/roles.js';
import { readSettings } from '../../src/settings/settings.js';
import { kurrentAddress } from '../../src/storage/store/kurrent/kurrent.address.js';

type Service = {
  readonly image?: string;
  readonly build?: string;
  readonly pull_policy?: string;
  readonly user?: string;
  readonly restart?: string;
  readonly tmpfs?: readonly string[];
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
};

type Network = {
  readonly internal?: boolean;
  readonly ipam?: { readonly config: readonly { readonly subnet: string; readonly ip_range: string }[] };
};

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** Expands `${NAME:-word}` and `${NAME:?word}` according to the Compose specification. */
function filledIn(env: Readonly<Record<string, string>>, name = '', kind = '', word = ''): string {
  const value = env[name] || (kind === '-' ? word : '');
  if (kind === '?' && !value) throw new Error(`${name}: ${word}`);
  return value;
}

function inRange(range = '', address: string): boolean {
  const [net = '', prefix] = range.split('/');
  const list = new BlockList();
  list.addSubnet(net, Number(prefix));
  return list.check(address);
}

describe('docker-compose.yml', () => {
  let text: string;
  let compose: {
    readonly services: Readonly<Record<string, Service>>;
    readonly networks: Readonly<Record<string, Network>>;
  };
  let example: Record<string, string>;
  let ours: (readonly [string, Service])[];

  beforeAll(async () => {
    text = await readFile('docker-compose.yml', 'utf8');
    compose = parse(text, { merge: true });
    ours = Object.entries(compose.services).filter(([, { image }]) => image === 'localhost/stele');
    const lines = (await readFile('.env.example', 'utf8')).matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm);
    example = Object.fromEntries([...lines].reverse().map(([, name, value]) => [name, value]));
  });

  /** Returns the file as Compose reads it, with these variables. */
  const filled = (env: Readonly<Record<string, string>>) =>
    JSON.parse(JSON.stringify(compose), (_key, value) =>
      typeof value === 'string' ? value.replace(VARIABLE, (_all, ...found) => filledIn(env, ...found)) : value,
    ) as typeof compose;

  it('the file conforms to the Compose specification', async () => {
    const schema = JSON.parse(await readFile('test/fixtures/compose-spec.json', 'utf8'), (key, value) =>
      (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
    );
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
    const isCompose = ajv.compile(schema);
    isCompose(compose);
    expect(isCompose.errors).toBeNull();
    expect(isCompose({ services: { api: { imagine: 'x' } } })).toBe(false);
  });

  it('every role has valid settings and the expected number of replicas', () => {
    const env = { ...example, POSTGRES_PASSWORD: 'p'.repeat(48), REDIS_PASSWORD: 'r'.repeat(48) };
    const all = filled(env);
    expect(ours.map(([name, { deploy }]) => [name, deploy?.replicas])).toEqual([
      ['api', 2],
      ['serve', 1],
      ['builder', 2],
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

  it('the file contains no passwords, and Compose refuses to start if a required password is not set', () => {
    expect(example).toMatchObject({ POSTGRES_PASSWORD: '', REDIS_PASSWORD: '' });
    expect(() => filled(example)).toThrow('POSTGRES_PASSWORD: Set it in .env');
    expect(() => filled({ ...example, POSTGRES_PASSWORD: 'p' })).toThrow('REDIS_PASSWORD: Set it in .env');
  });

  it('the KurrentDB URL in .env.example works with the KurrentDB service of the Compose file', async () => {
    const [address = ''] = /esdb:\/\/\S+(?=,)/.exec(await readFile('.env.example', 'utf8')) ?? [];
    const all = filled({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r', EVENTSTORE_URL: address });
    for (const [name, { networks }] of ours) {
      const { eventStoreUrl } = readSettings(all.services[name]?.environment ?? {});
      const [host = ''] = kurrentAddress(eventStoreUrl ?? '').location.split(':2113');
      expect(compose.services[host]?.networks).toEqual(['inside']);
      expect(networks).toContain('inside');
    }
    const { location } = kurrentAddress(address);
    expect(compose.services[location.replace(':2113', '')]?.image).toMatch(/kurrentdb/);
  });

  it('the cluster URL in .env.example names the KurrentDB nodes of the Compose file, which restart on failure', async () => {
    const [address = ''] = /esdb:\S+,\S+(?=,)/.exec(await readFile('.env.example', 'utf8')) ?? [];
    const nodes = kurrentAddress(address).location.split(',');
    expect(nodes).toHaveLength(3);
    for (const node of nodes) {
      const [name = ''] = node.split(':');
      const { environment, restart, networks } = compose.services[name] ?? {};
      expect({ restart, networks }).toEqual({ restart: 'unless-stopped', networks: ['inside'] });
      expect(environment).toMatchObject({
        KURRENTDB_CLUSTER_SIZE: '3',
        KURRENTDB_GOSSIP_SEED: nodes.filter((other) => other !== node).join(),
        KURRENTDB_NODE_HOST_ADVERTISE_AS: name,
        KURRENTDB_REPLICATION_HOST_ADVERTISE_AS: name,
      });
    }
  });

  it('the image is built once, and never pulled', () => {
    // Only one service builds the image. With containerd's image store, four concurrent builds of one tag fail. With
    // the classic store, each build recreates the services.
    expect(ours.map(([name, { build, pull_policy }]) => [name, build, pull_policy])).toEqual([
      ['api', '.', undefined],
      ['serve', undefined, 'never'],
      ['builder', undefined, 'never'],
      ['projector', undefined, 'never'],
    ]);
  });

  it('Caddy is the only trusted proxy, and no other service can have its address', () => {
    const { services, networks } = filled({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r' });
    const front = services.caddy?.networks;
    const address = front && 'front' in front ? front.front.ipv4_address : '';
    for (const [name] of ours)
      expect(readSettings(services[name]?.environment ?? {}).trustedProxies).toEqual([address]);
    const [config] = networks.front?.ipam?.config ?? [];
    expect(inRange(config?.subnet, address)).toBe(true);
    expect(inRange(config?.ip_range, address)).toBe(false);
  });

  it('image versions are pinned, and the Caddy version does not lose request bodies', async () => {
    const images = Object.values(compose.services).map(({ image }) => image ?? '');
    const [, base = ''] = /^ARG BASE=(.*)$/m.exec(await readFile('Dockerfile', 'utf8')) ?? [];
    const others = [...images, base].filter((image) => image !== 'localhost/stele');
    expect(others.filter((image) => !/:v?\d+\.\d+(\.\d+)?(-|$)/.test(image))).toEqual([]);
    const [minor = 0, patch = 0] = /caddy:2\.(\d+)\.(\d+)/.exec(images.join())?.slice(1).map(Number) ?? [];
    // Earlier versions of Caddy retry a request without its body if the body was already sent to a process that has
    // exited.
    expect(minor > 11 || (minor === 11 && patch >= 2)).toBe(true);
  });

  it('the logs of every service have a maximum size', () => {
    for (const [name, { logging }] of Object.entries(compose.services))
      expect([name, logging?.options]).toEqual([name, { 'max-size': '10m', 'max-file': '5' }]);
  });

  it('Redis runs without privileges, and creates no volume', () => {
    expect(compose.services.redis).toMatchObject({
      user: 'redis',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      // A `tmpfs` replaces the volume that the image declares.
      tmpfs: ['/data'],
    });
  });

  it('passwords and keys are kept out of git', async () => {
    const ignored = (await readFile('.gitignore', 'utf8')).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', 'certs/']));
  });

  it('.env.example lists every variable that the Compose file uses', () => {
    expect([...text.matchAll(VARIABLE)].map(([, name]) => name).filter((name = '') => !(name in example))).toEqual([]);
  });

  it('by default, the stack is reachable only from this machine, and its databases only from its services', () => {
    const { services, networks } = filled({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r' });
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(networks.inside).toMatchObject({ internal: true });
    for (const name of ['postgres', 'redis', 'kurrentdb'])
      expect([name, services[name]?.networks, services[name]?.ports]).toEqual([name, ['inside'], undefined]);
  });

  it('Stele’s containers can write only to the data volume, and can’t gain privileges', async () => {
    // Only the builder has these options, which bubblewrap needs for its sandboxes.
    const walls = ['seccomp:./builder.seccomp.json', 'apparmor:unconfined', 'systempaths=unconfined'];
    for (const [name, service] of ours) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true', ...(name === 'builder' ? walls : [])],
        volumes: ['data:/data'],
      });
    }
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER 1000:1000$/m);
    expect(last).toMatch(/^HEALTHCHECK [\s\S]*\/ready/m);
    expect(last).toMatch(/STELE_DATA=\/data\b/);
  });

  it('the Caddyfile uses the services’ actual names', async () => {
    const caddyfile = await readFile('Caddyfile', 'utf8');
    const named = [...caddyfile.matchAll(/import named (\w+)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(['api', 'serve']));
    const variables = [...caddyfile.matchAll(/\{\$(STELE_\w+)/g)].map(([, name]) => name ?? '');
    const given = compose.services.caddy?.environment ?? {};
    // The three variables listed here are needed only when Stele is started without Compose.
    expect(new Set(variables)).toEqual(
      new Set([...Object.keys(given), 'STELE_API_AT', 'STELE_SERVE_AT', 'STELE_ASK_URL']),
    );
  });
});
