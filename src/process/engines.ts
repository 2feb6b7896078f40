import { hash, hkdfSync } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import type { People } from '../accounts/people/people.js';
import type { Storage } from '../adapters/authorization/artifact-adapter.js';
import { DiskReserve } from '../adapters/disk/disk-reserve.engine.js';
import { DnsDomainChecker } from '../adapters/dns/dns-domain-checker.engine.js';
import type { MaxMindCountries } from '../adapters/geoip/maxmind-countries.engine.js';
import { GitRepositories } from '../adapters/git/git-repositories.js';
import { NoIdentityProvider } from '../adapters/identity-provider/no-identity-provider.js';
import { NoMail, NoOutbox } from '../adapters/mail/no-mail.js';
import { OutboxMail } from '../adapters/mail/outbox.engine.js';
import { OpenAiModel } from '../adapters/model/open-ai.engine.js';
import { TlsHandshake } from '../adapters/tls/tls-handshake.engine.js';
import { JoseTokenIssuers } from '../adapters/token-issuers/jose.engine.js';
import { FastServerPool } from '../edge/fast/fast-server-connections.js';
import { makeSecret } from '../edge/http/auth/secrets.js';
import { MemoryRateLimits } from '../edge/http/limits/memory-rate-limits.engine.js';
import { NoRateLimits, type RateLimits } from '../edge/http/limits/rate-limits.js';
import { RedisRateLimits } from '../edge/http/limits/redis-rate-limits.engine.js';
import { NodeServerConnections } from '../edge/http/proxy/node-server-connections.js';
import { SERVER_TIMEOUTS, type ServerConnectionPool } from '../edge/http/proxy/server-connections.js';
import { catalogue, isChained } from '../events/catalogue.js';
import type { Ids } from '../kernel/ids.js';
import type { AuthorizationServer } from '../kernel/ports/outside/authorization-server.js';
import { type CertificateServer, NoCertificateServer } from '../kernel/ports/outside/certificate-server.js';
import { NoCountries } from '../kernel/ports/outside/countries.js';
import type { DomainChecker } from '../kernel/ports/outside/domain-checker.js';
import type { IdentityProvider } from '../kernel/ports/outside/identity-provider.js';
import type { Mail, Outbox } from '../kernel/ports/outside/mail.js';
import { NoPageModel, type PageModel } from '../kernel/ports/outside/page-model.js';
import { NoRedis } from '../kernel/ports/outside/redis-health.js';
import type { TokenIssuers } from '../kernel/ports/outside/token-issuers.js';
import { CALLBACK } from '../modules/identity/sign-in/identity-provider.js';
import { Bubblewrap } from '../sandbox/bubblewrap/bubblewrap.engine.js';
import { Containers } from '../sandbox/container/container.engine.js';
import { buildHosts } from '../sandbox/egress/hosts.js';
import { EngineImages } from '../sandbox/images/image.engine.js';
import { NoImageBuilder } from '../sandbox/images/no-image-builder.js';
import type { Isolation } from '../sandbox/isolation.js';
import { NoBuilder } from '../sandbox/no-builder.js';
import { SandboxBuilder } from '../sandbox/sandbox-builder.js';
import { SandboxedServerRunner } from '../sandbox/servers/sandboxed-server-runner.js';
import { UnavailableServerRunner } from '../sandbox/servers/unavailable-server-runner.js';
import type { Settings } from '../settings/settings.js';
import { DiskPacks } from '../storage/blobs/disk.engine.js';
import { RedisConnection } from '../storage/cluster/redis-connection.js';
import type { LogStatements } from '../storage/postgres/log-statements.js';
import type { KurrentEngine } from '../storage/store/kurrent/kurrent.engine.js';
import { PostgresEngine } from '../storage/store/postgres/postgres.engine.js';
import { PostgresSnapshots } from '../storage/store/postgres/postgres.snapshots.js';
import type { ProcessContext } from './context.js';

/**
 * The implementation (engine) of each port that this process uses. The types are the implementing classes, which are
 * needed to start and stop the engines.
 */
export abstract class Engines {
  abstract readonly eventStore: PostgresEngine | KurrentEngine;
  /** Builds SQL statements that append events. Null if the event log is not stored in PostgreSQL. */
  abstract readonly logStatements: LogStatements | null;
  abstract readonly snapshots: PostgresSnapshots;
  abstract readonly redis: RedisConnection | NoRedis;
  abstract readonly rateLimits: RateLimits;
  abstract readonly diskSpace: DiskReserve;
  abstract readonly blobs: DiskPacks;
  abstract readonly mail: Mail;
  abstract readonly outbox: Outbox;
  abstract readonly identityProvider: IdentityProvider;
  abstract readonly domainChecker: DomainChecker;
  abstract readonly certificateServer: CertificateServer;
  abstract readonly pageModel: PageModel;
  abstract readonly repositories: GitRepositories;
  abstract readonly tokenIssuers: TokenIssuers;
  abstract readonly builder: SandboxBuilder | NoBuilder;
  abstract readonly imageBuilder: EngineImages | NoImageBuilder;
  abstract readonly serverRunner: SandboxedServerRunner | UnavailableServerRunner;
  abstract readonly serverConnections: ServerConnectionPool;
  abstract readonly countries: MaxMindCountries | NoCountries;
}

/**
 * Chooses engines according to the settings, without starting them. Throws `EventStoreAddressError`. Packages of rarely
 * used engines are imported only if needed, because each costs CPU time and memory at every start.
 */
export async function chooseEngines({ settings, pool, rootKey }: ProcessContext): Promise<Engines> {
  const { dataFolder, repoHosts } = settings;
  const eventStore = await eventStoreOf(settings, pool);
  const redis = await redisOf(settings);
  const mail = await mailOf(settings);
  const log = new Logger('Disk');
  const diskSpace = new DiskReserve(dataFolder, settings.diskReserve, (line) => log.warn(line));
  const assertRoom = () => diskSpace.assertRoom();
  return {
    eventStore,
    logStatements: eventStore instanceof PostgresEngine ? eventStore : null,
    snapshots: new PostgresSnapshots(pool),
    redis,
    rateLimits: rateLimitsOf(settings, rootKey, redis),
    diskSpace,
    blobs: new DiskPacks(join(dataFolder, 'packs'), pool, { assertRoom }),
    mail,
    outbox: mail instanceof OutboxMail ? mail : new NoOutbox(),
    identityProvider: await identityProviderOf(settings),
    domainChecker: new DnsDomainChecker({ ...settings.domains, siteDomain: settings.siteDomain }),
    certificateServer: settings.domains.tlsAt ? new TlsHandshake(settings.domains.tlsAt) : new NoCertificateServer(),
    pageModel: pageModelOf(settings),
    tokenIssuers: new JoseTokenIssuers({ lookup: addressesOf, listed: repoHosts }),
    repositories: new GitRepositories(join(dataFolder, 'copies'), repoHosts, addressesOf, assertRoom),
    builder: builderOf(settings),
    imageBuilder: imageBuilderOf(settings),
    serverRunner: chooseServerRunner(settings),
    serverConnections: settings.fastPath
      ? new FastServerPool(SERVER_TIMEOUTS)
      : new NodeServerConnections(SERVER_TIMEOUTS),
    countries: await countriesOf(settings),
  };
}

async function eventStoreOf({ eventStoreUrl: url }: Settings, pool: Pool): Promise<Engines['eventStore']> {
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url === null) return new PostgresEngine({ pool, ...recording });
  // Import the KurrentDB engine only if needed. Its client takes a quarter of a second to load, and needs tens of
  // megabytes.
  const { KurrentEngine } = await import('../storage/store/kurrent/kurrent.engine.js');
  const log = new Logger('Event store');
  return new KurrentEngine({ url, say: (message) => log.warn(message), ...recording });
}

function builderOf({ builds, dataFolder, roles }: Settings): Engines['builder'] {
  if (builds.engine === 'none') return new NoBuilder('The operator has disabled builds (STELE_BUILDER).');
  if (!roles.has('worker')) return new NoBuilder('Builds run in another of this service’s processes.', true);
  const hosts = hostsOf(builds);
  const containers = new Containers(builds.image, process.env);
  const engines = {
    auto: [new Bubblewrap(), containers],
    bubblewrap: [new Bubblewrap()],
    container: [containers],
  } satisfies Record<typeof builds.engine, [Isolation, ...Isolation[]]>;
  return new SandboxBuilder(engines[builds.engine], { folder: join(dataFolder, 'builds'), hosts, lookup: addressesOf });
}

function hostsOf({ hosts }: Settings['builds']) {
  const registry = process.env.npm_config_registry;
  // URLs have brackets around IPv6 addresses.
  const ofMachine = registry && URL.canParse(registry) ? [new URL(registry).hostname.replace(/^\[|\]$/g, '')] : [];
  return buildHosts(hosts, ofMachine);
}

function imageBuilderOf({ builds, dataFolder, roles }: Settings): Engines['imageBuilder'] {
  const { engine, imageNetwork } = builds;
  if (engine === 'none') return new NoImageBuilder('The operator has disabled builds (STELE_BUILDER).');
  if (!roles.has('worker')) return new NoImageBuilder('Builds run in another of this service’s processes.', true);
  if (engine === 'bubblewrap')
    return new NoImageBuilder(
      'Dockerfiles are built with Docker or Podman, which requires STELE_BUILDER to be auto or container.',
    );
  const runHosts = imageNetwork === 'registries' ? { hosts: hostsOf(builds), lookup: addressesOf } : null;
  return new EngineImages(join(dataFolder, 'builds', 'images'), process.env, runHosts);
}

/** Returns the runner for the servers of sites. They run in workers, in the same kinds of sandbox as builds. */
function chooseServerRunner({ builds, dataFolder, roles }: Settings): Engines['serverRunner'] {
  if (builds.engine === 'none') return new UnavailableServerRunner('The operator has disabled builds (STELE_BUILDER).');
  if (!roles.has('worker'))
    return new UnavailableServerRunner('Site servers run in another of this service’s processes.');
  const engines = builds.engine === 'auto' ? (['bubblewrap', 'container'] as const) : ([builds.engine] as const);
  const folder = join(dataFolder, 'builds');
  return new SandboxedServerRunner({ folder, lookup: addressesOf, engines, image: builds.image, env: process.env });
}

async function redisOf({ redisUrl }: Settings): Promise<Engines['redis']> {
  if (redisUrl === null) return new NoRedis();
  const { RedisConnection } = await import('../storage/cluster/redis-connection.js');
  const log = new Logger('Redis');
  return new RedisConnection(redisUrl, (line) => log.warn(line));
}

/** With Redis, all processes share their limits. While Redis is unavailable, each process counts separately. */
function rateLimitsOf(settings: Settings, rootKey: Buffer, redis: Engines['redis']): RateLimits {
  if (!settings.rateLimits) return new NoRateLimits();
  const own = new MemoryRateLimits();
  if (redis instanceof NoRedis) return own;
  return new RedisRateLimits(redis.client, Buffer.from(hkdfSync('sha256', rootKey, '', 'stele rates', 32)), own);
}

async function mailOf({ mail, mailFrom, dataFolder }: Settings): Promise<Mail> {
  const log = new Logger('Mail');
  switch (mail.kind) {
    case 'smtp': {
      const { SmtpMail } = await import('../adapters/mail/smtp.engine.js');
      return new SmtpMail(mail.url, mailFrom, (line) => log.warn(line));
    }
    case 'outbox':
      return new OutboxMail(join(dataFolder, 'outbox'), mailFrom, (line) => log.warn(line));
    case 'none':
      return new NoMail();
  }
}

async function identityProviderOf({ identityProvider, baseUrl }: Settings): Promise<IdentityProvider> {
  if (identityProvider === null) return new NoIdentityProvider();
  const { OpenIdProvider } = await import('../adapters/identity-provider/open-id.engine.js');
  const log = new Logger('Identity provider');
  const redirectUri = `${baseUrl}${CALLBACK}`;
  return new OpenIdProvider({ ...identityProvider, redirectUri, warn: (line) => log.warn(line) });
}

async function countriesOf({ traffic: { geoip } }: Settings): Promise<Engines['countries']> {
  if (geoip === null) return new NoCountries();
  const { MaxMindCountries } = await import('../adapters/geoip/maxmind-countries.engine.js');
  return new MaxMindCountries(geoip);
}

function pageModelOf({ generation: { model } }: Settings): PageModel {
  if (model === null) return new NoPageModel();
  const log = new Logger('Model');
  return new OpenAiModel({ ...model, warn: (line) => log.warn(line) });
}

/**
 * Creates the OAuth authorization server by importing a package, which takes CPU time. Must be called only when the
 * server is first used.
 */
export async function createAuthorizationServer(
  { settings: { baseUrl, mcpUrl, repoHosts }, rootKey }: ProcessContext,
  { people, ids, ...storage }: Storage & { readonly people: People; readonly ids: Ids },
): Promise<AuthorizationServer> {
  const [{ OidcProvider }, { clientDocuments }] = await Promise.all([
    import('../adapters/authorization/oidc-provider.engine.js'),
    import('../adapters/authorization/client-documents.js'),
  ]);
  const log = new Logger('Authorization server');
  return new OidcProvider({
    baseUrl,
    mcpUrl,
    rootKey,
    storage,
    makeToken: makeSecret,
    makeClientId: () => ids.make('cli'),
    isPerson: async (userId) => (await people.find(userId)) !== null,
    fetch: clientDocuments(addressesOf, repoHosts),
    warn: (line) => log.warn(line),
  });
}

/** Resolves a host with the operating system's resolver, which includes the hosts file. */
const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);
