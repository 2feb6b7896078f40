import { totalmem } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';
import { SettingsError } from './settings-fault.js';

const faultOf = (environment: Record<string, string>) => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'none';
};

describe('Default settings', () => {
  it('every setting has a default that works on this machine', () =>
    expect(readSettings({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      eventStoreUrl: null,
      fastPath: true,
      roles: new Set(['api', 'serve', 'worker', 'projector']),
      dataFolder: resolve('.stele'),
      diskReserve: null,
      databaseUrl: null,
      redisUrl: null,
      baseUrl: 'http://localhost:3000',
      siteDomain: 'localhost:3000',
      acknowledged: new Set(),
      mcpUrl: 'http://localhost:3000/mcp',
      statusUrl: 'http://localhost:3000/status',
      anonymousLimits: {
        fileBytes: 26_214_400,
        deployBytes: 104_857_600,
        files: 1_000,
        bodyBytes: 52_428_800,
        signedIn: { files: 20_000, deployBytes: 1_073_741_824 },
      },
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
        hugo: null,
        image: null,
        imageNetwork: 'none',
        nodeVersions: [],
        serverBytes: 2_147_483_648,
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
      traffic: { accessKeptDays: 7, accessBytesPerDay: 67_108_864, rollupsKeptDays: 730, geoip: null },
      status: {
        everyMs: 60_000,
        front: null,
        listener: { host: '127.0.0.1', port: 3_000 },
        servesSites: true,
      },
      anonymousExpiry: { seconds: null },
      storageShares: { deployBytesPerDay: 21_474_836_480, anonymousTotalBytes: null },
    }));

  it('anonymous sites do not expire and have no total size limit on the operator’s own machine', () => {
    const anonymous = (environment: Record<string, string>) => {
      const { anonymousExpiry, storageShares } = readSettings(environment);
      return [anonymousExpiry.seconds, storageShares.anonymousTotalBytes];
    };
    const open = { STELE_BASE_URL: 'https://stele.example' };
    expect(anonymous({})).toEqual([null, null]);
    expect(anonymous(open)).toEqual([2_592_000, 10_737_418_240]);
    expect(anonymous({ STELE_ANONYMOUS_TTL: '7d', STELE_ANONYMOUS_TOTAL_BYTES: '5 MiB' })).toEqual([
      604_800, 5_242_880,
    ]);
    expect(anonymous({ ...open, STELE_ANONYMOUS_TTL: 'never' })).toEqual([null, 10_737_418_240]);
  });

  it('an empty environment variable counts as not set', () =>
    expect(readSettings({ PORT: '', STELE_BASE_URL: '', EVENTSTORE_URL: '', STELE_MAX_FILES: undefined })).toEqual(
      readSettings({}),
    ));

  it('environment variables of other programs are ignored', () =>
    expect(readSettings({ HOME: '/root', NODE_ENV: 'production', SMTP: 'x' })).toEqual(readSettings({})));
});

describe('Reading the settings', () => {
  it('accepts a subset of roles only if the database can be shared', () => {
    const shared = { DATABASE_URL: 'postgres://127.0.0.1/stele' };
    expect(readSettings({ ...shared, STELE_ROLES: 'worker, api,api' }).roles).toEqual(new Set(['api', 'worker']));
    expect(readSettings({ STELE_ROLES: 'projector,worker,serve,api' }).roles.size).toBe(4);
    expect(faultOf({ STELE_ROLES: 'api,serve' })).toMatch(/^STELE_ROLES must include all roles .*DATABASE_URL/);
    expect(faultOf({ ...shared, STELE_ROLES: 'api,server' })).toMatch(/^STELE_ROLES must be one or more of api, serve/);
    expect(faultOf({ ...shared, STELE_ROLES: ' , ' })).toMatch(/^STELE_ROLES must be one or more of/);
  });

  it('mail is sent through the configured server, and a public service without one sends no mail', () => {
    const base = { STELE_BASE_URL: 'https://stele.example' };
    expect(readSettings(base)).toMatchObject({ mail: { kind: 'none' }, mailFrom: 'Stele <stele@stele.example>' });
    const smtp = { ...base, SMTP_URL: 'smtp://mail.example:587', STELE_MAIL_FROM: 'Us <us@mail.example>' };
    expect(readSettings(smtp)).toMatchObject({
      mail: { kind: 'smtp', url: 'smtp://mail.example:587' },
      mailFrom: 'Us <us@mail.example>',
    });
  });

  it('derives the announced URLs from the port or the base URL', () => {
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

  it('removes the trailing slashes of a URL', () =>
    expect(
      readSettings({ STELE_BASE_URL: 'https://stele.example//', STELE_MCP_URL: 'https://mcp.example/x/' }),
    ).toMatchObject({
      baseUrl: 'https://stele.example',
      mcpUrl: 'https://mcp.example/x',
      statusUrl: 'https://stele.example/status',
    }));

  it('makes the path of the data folder absolute', () => {
    expect(isAbsolute(readSettings({ STELE_DATA: 'data' }).dataFolder)).toBe(true);
    expect(readSettings({ STELE_DATA: '/var/lib/stele' }).dataFolder).toBe('/var/lib/stele');
  });

  it.each(['postgres://u:p@db:5432/stele', 'postgresql:///stele?host=/run/postgresql'])(
    'accepts the database URL %s',
    (url) => expect(readSettings({ DATABASE_URL: url }).databaseUrl).toBe(url),
  );

  it.each(['redis://redis', 'redis://:p@redis:6380/2', 'rediss://u:p@redis.example'])(
    'accepts the Redis URL %s',
    (REDIS_URL) => expect(readSettings({ REDIS_URL }).redisUrl).toBe(REDIS_URL),
  );

  it.each(['esdb://u:p@db:2113', 'kurrentdb+discover://u:p@cluster', 'esdb://db?tls=false'])(
    'accepts the event store URL %s',
    (url) => expect(readSettings({ EVENTSTORE_URL: url }).eventStoreUrl).toBe(url),
  );

  it.each(['pages.example', 'pages.example:8443', 'localhost:3000'])('accepts the site domain %s', (domain) =>
    expect(readSettings({ STELE_SITE_DOMAIN: domain }).siteDomain).toBe(domain),
  );

  it('turns rate limits on by default, unless the base URL is a loopback address', () => {
    const limited = (environment: Record<string, string>) => readSettings(environment).rateLimits;
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
      expect(limited({ STELE_BASE_URL: `http://${host}` })).toBe(false);
    expect(limited({ STELE_BASE_URL: 'https://stele.example' })).toBe(true);
    expect(limited({ STELE_BASE_URL: 'https://127.stele.example' })).toBe(true);
    expect(limited({ STELE_BASE_URL: 'https://stele.example', STELE_RATE_LIMITS: 'off' })).toBe(false);
    expect(limited({ STELE_RATE_LIMITS: 'on' })).toBe(true);
  });

  it('accepts trusted proxies as addresses and ranges', () =>
    expect(readSettings({ STELE_TRUSTED_PROXIES: '10.0.0.0/8, ::1 fd00::/8,192.0.2.7' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
      '192.0.2.7',
    ]));

  it('accepts an email address or a URL as the security contact', () => {
    const contact = (text: string) => readSettings({ STELE_SECURITY_CONTACT: text }).securityContact.uri;
    expect(contact('security@stele.example')).toBe('mailto:security@stele.example');
    expect(contact('mailto:security@stele.example')).toBe('mailto:security@stele.example');
    expect(contact('https://stele.example/security')).toBe('https://stele.example/security');
  });

  it.each([
    ['1000', 1_000],
    ['25 MiB', 26_214_400],
    ['25mib', 26_214_400],
    ['1.5 GiB', 1_610_612_736],
    ['2 TiB', 2_199_023_255_552],
    ['1 KiB', 1_024],
  ])('accepts the size %s', (text, bytes) => {
    expect(readSettings({ STELE_DISK_RESERVE: text }).diskReserve).toBe(bytes);
    expect(readSettings({ STELE_MAX_FILE_BYTES: text }).signedInLimits.fileBytes).toBe(bytes);
  });

  it('applies only the general limits to signed-in callers', () => {
    const { signedInLimits } = readSettings({
      STELE_MAX_FILES: '10',
      STELE_MAX_DEPLOY_BYTES: '1000',
      STELE_ANONYMOUS_MAX_FILES: '5',
      STELE_ANONYMOUS_MAX_BYTES: '7',
    });
    expect(signedInLimits).toMatchObject({ files: 10, deployBytes: 1_000 });
  });

  it('applies the lower of the general and the anonymous limit to anonymous callers', () => {
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

describe('The error about an invalid setting', () => {
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
    ['STELE_MAX_JSON_BYTES', '0'],
    ['STELE_ANONYMOUS_TOTAL_BYTES', '0 MiB'],
    ['STELE_DEPLOY_BYTES_PER_DAY', '5 GB'],
    ['STELE_ACCESS_BYTES_PER_DAY', '999999 TiB'],
    ['STELE_DISK_RESERVE', '5%'],
    ['STELE_BUILD_MEMORY', '63 MiB'],
    ['STELE_ANONYMOUS_TTL', 'forever'],
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
  ])('the error names the invalid setting: %s=%s', (name, value) =>
    expect(faultOf({ [name]: value })).toMatch(new RegExp(`^${name} (must be|needs) .`)),
  );

  it('the error lists the valid values of the setting', () =>
    expect(faultOf({ PORT: 'http', STELE_BUILDER: 'docker', STELE_JOBS: '0', STELE_STATUS_PROBES: '2m' })).toBe(
      [
        'PORT must be an integer from 0 to 65535.',
        'STELE_BUILDER must be one of auto, bubblewrap, container or none.',
        'STELE_JOBS must be an integer from 1 to 1000.',
        'STELE_STATUS_PROBES must be off, or an interval from 1s to 60s.',
      ].join('\n'),
    ));

  it('the error names all invalid settings', () => {
    const fault = faultOf({ PORT: 'http', STELE_MAX_FILES: '0', DATABASE_URL: 'db' });
    for (const name of ['PORT', 'STELE_MAX_FILES', 'DATABASE_URL']) expect(fault).toContain(`${name} must be `);
  });

  it.each(['STELE_BLOBS'])('the error says that %s is not supported yet', (name) =>
    expect(faultOf({ [name]: 'x' })).toBe(`Stele does not support ${name} yet. Unset it and start again.`),
  );

  it('the error does not contain the invalid value, which might be secret', () =>
    expect(faultOf({ DATABASE_URL: 'mysql://u:hunter2@db/stele' })).not.toContain('hunter2'));
});

describe('The settings for an identity provider', () => {
  const issuer = 'https://login.example/realms/one/';

  it('an identity provider is named after its host by default, and its issuer is kept unchanged', () =>
    expect(readSettings({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'stele' }).identityProvider).toEqual({
      issuer,
      clientId: 'stele',
      clientSecret: null,
      name: 'login.example',
    }));

  it('an identity provider can have another name, and can run on this machine', () =>
    expect(
      readSettings({
        OIDC_ISSUER: 'http://localhost:9000',
        OIDC_CLIENT_ID: 'stele',
        OIDC_CLIENT_SECRET: 'hush',
        OIDC_NAME: ' Our company ',
      }).identityProvider,
    ).toEqual({ issuer: 'http://localhost:9000', clientId: 'stele', clientSecret: 'hush', name: 'Our company' }));

  it.each([
    ['without a client ID', { OIDC_ISSUER: issuer }],
    ['without an issuer', { OIDC_CLIENT_ID: 'stele', OIDC_CLIENT_SECRET: 'hunter2' }],
    ['with only a name', { OIDC_NAME: 'Our company' }],
  ])('an identity provider is rejected %s', (_, environment) => {
    expect(faultOf(environment)).toMatch(/^OIDC_ISSUER and OIDC_CLIENT_ID must be set together\./);
    expect(faultOf(environment)).not.toContain('hunter2');
  });
});

describe('URLs that are derived from the settings', () => {
  it('derived URLs contain the port of the service', () =>
    expect(readSettings({ PORT: '40001', STELE_MCP_URL: 'https://mcp.example/mcp' })).toMatchObject({
      baseUrl: 'http://localhost:40001',
      siteDomain: 'localhost:40001',
      mcpUrl: 'https://mcp.example/mcp',
    }));
});
