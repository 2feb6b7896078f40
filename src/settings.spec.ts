import { totalmem } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SettingsFault } from './settings.fault.js';
import { readSettings } from './settings.js';

const faultOf = (environment: Record<string, string>) => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsFault) return error.message;
    throw error;
  }
  return 'none';
};

describe('Without any setting', () => {
  it('everything has a default that works on this machine', () =>
    expect(readSettings({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      eventStoreUrl: null,
      roles: new Set(['api', 'serve', 'worker', 'projector']),
      dataFolder: resolve('.stele'),
      databaseUrl: null,
      redisUrl: null,
      baseUrl: 'http://localhost:3000',
      siteDomain: 'localhost:3000',
      mcpUrl: 'http://localhost:3000/mcp',
      statusUrl: 'http://localhost:3000/status',
      anonymousLimits: { fileBytes: 26_214_400, deployBytes: 104_857_600, files: 1_000, bodyBytes: 52_428_800 },
      signedInLimits: { fileBytes: 26_214_400, deployBytes: 1_073_741_824, files: 20_000, bodyBytes: 52_428_800 },
      rateLimits: false,
      trustedProxies: [],
      adminToken: null,
      securityContact: { uri: 'http://localhost:3000/llms.txt' },
      mail: { kind: 'outbox' },
      mailFrom: 'Stele <stele@localhost>',
      identityProvider: null,
      secretKey: null,
      nextSecretKey: null,
      repoHosts: new Set(),
      jobs: { atOnce: 4, perOwner: 2, leaseMs: 20_000 },
      streamRetention: { ms: 2_592_000_000, lookEveryMs: 3_600_000 },
      builds: {
        engine: 'auto',
        memoryBytes: 2_147_483_648,
        mostMs: 900_000,
        hosts: null,
        image: null,
        nodeVersions: [],
        programBytes: 2_147_483_648,
        registries: ['docker.io', 'ghcr.io', 'quay.io'],
        needSession: false,
      },
      servers: {
        idleMs: 900_000,
        atOnce: Math.floor(totalmem() / 2 / 268_435_456),
        memoryBytes: 536_870_912,
        host: '127.0.0.1',
        hasPeers: false,
      },
      connector: { leaseMs: 60_000 },
      domains: {
        dnsServers: null,
        addresses: null,
        tlsAt: null,
        acmeEmail: null,
        acmeUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      },
      generation: { model: null, perDay: 50, perDayInAll: 1_000, scriptHosts: new Set(), templates: null },
      traffic: { accessKeptDays: 7, rollupsKeptDays: 730, geoip: null },
      status: {
        everyMs: 60_000,
        front: null,
        listener: { host: '127.0.0.1', port: 3_000 },
        servesSites: true,
      },
      anonymousExpiry: { seconds: null },
    }));

  it('sites without an owner may be given an end', () =>
    expect(readSettings({ STELE_ANONYMOUS_TTL: '30d' }).anonymousExpiry).toEqual({ seconds: 2_592_000 }));

  it('an empty setting is none', () =>
    expect(readSettings({ PORT: '', STELE_BASE_URL: '', EVENTSTORE_URL: '', STELE_MAX_FILES: undefined })).toEqual(
      readSettings({}),
    ));

  it('what belongs to other programs is not looked at', () =>
    expect(readSettings({ HOME: '/root', NODE_ENV: 'production', SMTP: 'x' })).toEqual(readSettings({})));
});

describe('A setting', () => {
  it('says which part of the work is this process’s, once others can share its database', () => {
    const shared = { DATABASE_URL: 'postgres://127.0.0.1/stele' };
    expect(readSettings({ ...shared, STELE_ROLES: 'worker, api,api' }).roles).toEqual(new Set(['api', 'worker']));
    expect(readSettings({ STELE_ROLES: 'projector,worker,serve,api' }).roles.size).toBe(4);
    expect(faultOf({ STELE_ROLES: 'api,serve' })).toMatch(/^STELE_ROLES must have all roles .*DATABASE_URL/);
    expect(faultOf({ ...shared, STELE_ROLES: 'api,server' })).toMatch(/^STELE_ROLES must be one or more of api, serve/);
    expect(faultOf({ ...shared, STELE_ROLES: ' , ' })).toMatch(/^STELE_ROLES must be one or more of/);
  });

  it('says how mail goes out: on a machine that others reach, by a mail server or not at all', () => {
    const base = { STELE_BASE_URL: 'https://stele.example' };
    expect(readSettings(base)).toMatchObject({ mail: { kind: 'none' }, mailFrom: 'Stele <stele@stele.example>' });
    const smtp = { ...base, SMTP_URL: 'smtp://mail.example:587', STELE_MAIL_FROM: 'Us <us@mail.example>' };
    expect(readSettings(smtp)).toMatchObject({
      mail: { kind: 'smtp', url: 'smtp://mail.example:587' },
      mailFrom: 'Us <us@mail.example>',
    });
  });

  it('moves the addresses that follow from it', () => {
    expect(readSettings({ PORT: '8080' })).toMatchObject({
      baseUrl: 'http://localhost:8080',
      siteDomain: 'localhost:8080',
    });
    expect(readSettings({ STELE_BASE_URL: 'https://stele.example' })).toMatchObject({
      baseUrl: 'https://stele.example',
      mcpUrl: 'https://stele.example/mcp',
      statusUrl: 'https://stele.example/status',
    });
  });

  it('of an address has no slash at its end', () =>
    expect(
      readSettings({ STELE_BASE_URL: 'https://stele.example//', STELE_MCP_URL: 'https://mcp.example/x/' }),
    ).toMatchObject({
      baseUrl: 'https://stele.example',
      mcpUrl: 'https://mcp.example/x',
      statusUrl: 'https://stele.example/status',
    }));

  it('of the data folder is made absolute', () => {
    expect(isAbsolute(readSettings({ STELE_DATA: 'data' }).dataFolder)).toBe(true);
    expect(readSettings({ STELE_DATA: '/var/lib/stele' }).dataFolder).toBe('/var/lib/stele');
  });

  it.each(['postgres://u:p@db:5432/stele', 'postgresql:///stele?host=/run/postgresql'])(
    'takes the database at %s',
    (url) => expect(readSettings({ DATABASE_URL: url }).databaseUrl).toBe(url),
  );

  it.each(['redis://redis', 'redis://:p@redis:6380/2', 'rediss://u:p@redis.example'])(
    'takes the Redis %s',
    (REDIS_URL) => expect(readSettings({ REDIS_URL }).redisUrl).toBe(REDIS_URL),
  );

  it.each(['esdb://u:p@db:2113', 'kurrentdb+discover://u:p@cluster', 'esdb://db?tls=false'])(
    'takes the event store at %s',
    (url) => expect(readSettings({ EVENTSTORE_URL: url }).eventStoreUrl).toBe(url),
  );

  it.each(['pages.example', 'pages.example:8443', 'localhost:3000'])('takes sites under %s', (domain) =>
    expect(readSettings({ STELE_SITE_DOMAIN: domain }).siteDomain).toBe(domain),
  );

  it('limits rates unless the base address is this machine’s, or as it is told to', () => {
    const limited = (environment: Record<string, string>) => readSettings(environment).rateLimits;
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
      expect(limited({ STELE_BASE_URL: `http://${host}` })).toBe(false);
    expect(limited({ STELE_BASE_URL: 'https://stele.example' })).toBe(true);
    expect(limited({ STELE_BASE_URL: 'https://127.stele.example' })).toBe(true);
    expect(limited({ STELE_BASE_URL: 'https://stele.example', STELE_RATE_LIMITS: 'off' })).toBe(false);
    expect(limited({ STELE_RATE_LIMITS: 'on' })).toBe(true);
  });

  it('lists proxies by address and range', () =>
    expect(readSettings({ STELE_TRUSTED_PROXIES: '10.0.0.0/8, ::1 fd00::/8,192.0.2.7' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
      '192.0.2.7',
    ]));

  it('names whom to tell of a weakness, by mail or on the web', () => {
    const contact = (text: string) => readSettings({ STELE_SECURITY_CONTACT: text }).securityContact.uri;
    expect(contact('security@stele.example')).toBe('mailto:security@stele.example');
    expect(contact('mailto:security@stele.example')).toBe('mailto:security@stele.example');
    expect(contact('https://stele.example/security')).toBe('https://stele.example/security');
  });

  it('limits deploys of somebody signed in by the service’s own limits alone', () => {
    const { signedInLimits } = readSettings({
      STELE_MAX_FILES: '10',
      STELE_MAX_DEPLOY_BYTES: '1000',
      STELE_ANONYMOUS_MAX_FILES: '5',
      STELE_ANONYMOUS_MAX_BYTES: '7',
    });
    expect(signedInLimits).toMatchObject({ files: 10, deployBytes: 1_000 });
  });

  it('limits anonymous deploys by the lower of both limits', () => {
    const limits = (environment: Record<string, string>) => readSettings(environment).anonymousLimits;
    expect(limits({ STELE_MAX_FILES: '10' }).files).toBe(10);
    expect(limits({ STELE_ANONYMOUS_MAX_FILES: '50000' }).files).toBe(20_000);
    expect(limits({ STELE_MAX_DEPLOY_BYTES: '1000' }).deployBytes).toBe(1_000);
    expect(limits({ STELE_ANONYMOUS_MAX_BYTES: '7' }).deployBytes).toBe(7);
    expect(limits({ STELE_MAX_FILE_BYTES: '5', STELE_MAX_JSON_BYTES: '6' })).toMatchObject({
      fileBytes: 5,
      bodyBytes: 6,
    });
  });
});

describe('A bad setting stops the start and is named', () => {
  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['STELE_BASE_URL', 'stele.example'],
    ['STELE_BASE_URL', 'ftp://stele.example'],
    ['STELE_BASE_URL', 'javascript:alert(1)'],
    ['STELE_SITE_DOMAIN', 'https://pages.example'],
    ['STELE_SITE_DOMAIN', 'pages.example/x'],
    ['STELE_SITE_DOMAIN', '*.pages.example'],
    ['DATABASE_URL', 'mysql://db/stele'],
    ['DATABASE_URL', 'db'],
    ['REDIS_URL', 'redis'],
    ['REDIS_URL', 'http://redis:6379'],
    ['STELE_SECRET_KEY_NEXT', 'secret'],
    ['EVENTSTORE_URL', 'postgres://db'],
    ['EVENTSTORE_URL', 'esdb://db'],
    ['STELE_MAX_FILES', '0'],
    ['STELE_MAX_FILES', 'many'],
    ['STELE_MAX_FILE_BYTES', '25MB'],
    ['STELE_MAX_JSON_BYTES', '-1'],
    ['STELE_RATE_LIMITS', 'maybe'],
    ['STELE_TRUSTED_PROXIES', 'proxy.example'],
    ['STELE_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['STELE_TRUSTED_PROXIES', '10.0.0.1, ::1/x'],
    ['STELE_ADMIN_TOKEN', 'short'],
    ['OIDC_ISSUER', 'login.example'],
    ['OIDC_ISSUER', 'http://login.example'],
    ['OIDC_ISSUER', 'http://127.0.0.1.login.example'],
    ['OIDC_ISSUER', 'https://u:hunter2@login.example'],
    ['OIDC_ISSUER', 'https://login.example?tenant=1'],
    ['OIDC_ISSUER', 'https://login.example#x'],
    ['STELE_SECURITY_CONTACT', 'the operator'],
    ['STELE_SECURITY_CONTACT', 'javascript:alert(1)'],
  ])('%s=%s', (name, value) => expect(faultOf({ [name]: value })).toMatch(new RegExp(`^${name} (must be|needs) .`)));

  it('says in its own words which values are valid', () =>
    expect(faultOf({ PORT: 'http', STELE_BUILDER: 'docker', STELE_JOBS: '0', STELE_STATUS_PROBES: '2m' })).toBe(
      [
        'PORT must be an integer from 0 to 65535.',
        'STELE_BUILDER must be one of auto, bubblewrap, container and none.',
        'STELE_JOBS must be an integer from 1 to 1000.',
        'STELE_STATUS_PROBES must be off, or an interval from 1s to 60s.',
      ].join('\n'),
    ));

  it('and all of them at once', () => {
    const fault = faultOf({ PORT: 'http', STELE_MAX_FILES: '0', DATABASE_URL: 'db' });
    for (const name of ['PORT', 'STELE_MAX_FILES', 'DATABASE_URL']) expect(fault).toContain(`${name} must be `);
  });

  it.each(['STELE_BLOBS'])('%s, whose part is not built yet', (name) =>
    expect(faultOf({ [name]: 'x' })).toBe(`Stele does not support ${name} yet. Unset it and start again.`),
  );

  it('without its value, which may be a secret', () =>
    expect(faultOf({ DATABASE_URL: 'mysql://u:hunter2@db/stele' })).not.toContain('hunter2'));
});

describe('An identity provider', () => {
  const issuer = 'https://login.example/realms/one/';

  it('is called by the name of its host, and its issuer stays letter by letter', () =>
    expect(readSettings({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'stele' }).identityProvider).toEqual({
      issuer,
      clientId: 'stele',
      clientSecret: null,
      name: 'login.example',
    }));

  it('may be called otherwise, and may be on this machine', () =>
    expect(
      readSettings({
        OIDC_ISSUER: 'http://localhost:9000',
        OIDC_CLIENT_ID: 'stele',
        OIDC_CLIENT_SECRET: 'hush',
        OIDC_NAME: ' Our company ',
      }).identityProvider,
    ).toEqual({ issuer: 'http://localhost:9000', clientId: 'stele', clientSecret: 'hush', name: 'Our company' }));

  it.each([
    ['without a client', { OIDC_ISSUER: issuer }],
    ['without its address', { OIDC_CLIENT_ID: 'stele', OIDC_CLIENT_SECRET: 'hunter2' }],
    ['with a name alone', { OIDC_NAME: 'Our company' }],
  ])('is refused %s', (_, environment) => {
    expect(faultOf(environment)).toMatch(/^OIDC_ISSUER and OIDC_CLIENT_ID must be set together\./);
    expect(faultOf(environment)).not.toContain('hunter2');
  });
});

describe('The addresses that nobody names', () => {
  it('have the port that is listened on', () =>
    expect(readSettings({ PORT: '40001', STELE_MCP_URL: 'https://mcp.example/mcp' })).toMatchObject({
      baseUrl: 'http://localhost:40001',
      siteDomain: 'localhost:40001',
      mcpUrl: 'https://mcp.example/mcp',
    }));
});
