import { hash, hkdfSync } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { type DynamicModule, Global, Logger, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { announceRebuild } from './announce-rebuild.js';
import { BlobStore } from './blobs/blob-store.js';
import { joinContentFolder } from './blobs/content-folder.js';
import { DiskPacks } from './blobs/disk.engine.js';
import { Addresses } from './edge/addresses.js';
import { Callers } from './edge/callers.js';
import { MemoryRateLimits } from './edge/memory-rate-limits.engine.js';
import { Once } from './edge/once.js';
import { Operator } from './edge/operator.js';
import { networkOf, Peers } from './edge/peers.js';
import { ProblemFilter } from './edge/problem.filter.js';
import { RandomIds } from './edge/random-ids.js';
import { NoRateLimits, RateLimits } from './edge/rate-limits.js';
import { RedisRateLimits } from './edge/redis-rate-limits.engine.js';
import { shapes } from './edge/shape.js';
import { Arrival } from './edge/sign-in/arrival.js';
import { EditTokenStrategy } from './edge/sign-in/edit-token-strategy.js';
import { LinkTokens } from './edge/sign-in/link-tokens.js';
import { MailedLinkDoor } from './edge/sign-in/mailed-link-door.js';
import { SessionStrategy } from './edge/sign-in/session-strategy.js';
import { SigningIn } from './edge/sign-in/signing-in.js';
import { WebSocketCallers } from './edge/socket-callers.js';
import { catalogue, isChained } from './events/catalogue.js';
import { type AddressKeeper, AddressKeepers } from './kernel/address-keepers.js';
import { AuditKeys } from './kernel/audit-keys.js';
import { Departures } from './kernel/departures.js';
import { EventStore } from './kernel/event-store.js';
import { IdempotencyKeys } from './kernel/idempotency.js';
import { IdentityProvider } from './kernel/identity-provider.js';
import { Ids } from './kernel/ids.js';
import { Invites } from './kernel/invites.js';
import { JobQueue } from './kernel/job-queue.js';
import { Mail, Outbox } from './kernel/mail.js';
import { MailedLinks } from './kernel/mailed-links.js';
import { NoOtherProcesses, OtherProcesses } from './kernel/other-processes.js';
import { People } from './kernel/people.js';
import { ReadModels } from './kernel/read-models.js';
import { Repositories } from './kernel/repositories.js';
import { RunWriters } from './kernel/run-writers.js';
import { Served, ServedByOthers } from './kernel/served.js';
import { Sessions } from './kernel/sessions.js';
import { SignInAttempts } from './kernel/sign-in-attempts.js';
import { SitePasswords } from './kernel/site-passwords.js';
import { SitesForJobs } from './kernel/sites-for-jobs.js';
import { Snapshots } from './kernel/snapshots.js';
import { StreamsKept } from './kernel/streams-kept.js';
import { TerminalSignIns } from './kernel/terminal-sign-ins.js';
import { Transactions } from './kernel/transactions.js';
import { UsedTickets } from './kernel/used-tickets.js';
import { Vault } from './kernel/vault.js';
import { Waitlist } from './kernel/waitlist.js';
import { Written } from './kernel/written.js';
import { LiveController } from './live/live.controller.js';
import { LIVE_PATH, LiveGateway, SocketCallers } from './live/live.gateway.js';
import { LiveStreams } from './live/live-streams.js';
import { AboutModule } from './modules/about/about.module.js';
import { Measures } from './modules/about/metrics/measures.js';
import { Erasing } from './modules/identity/erase/erasing.js';
import { IdentityModule } from './modules/identity/identity.module.js';
import { CALLBACK } from './modules/identity/sign-in/identity-provider.js';
import { ForgottenJobs } from './modules/jobs/forget/forgotten-jobs.js';

import { JobsModule } from './modules/jobs/jobs.module.js';
import { Workers } from './modules/jobs/worker/workers.js';
import { ForgottenRuns } from './modules/runs/forget/forgotten-runs.js';
import { RunsModule } from './modules/runs/runs.module.js';
import { VisitorSeals } from './modules/serving/access/visitor-seals.js';
import { ServingModule } from './modules/serving/serving.module.js';
import { ServingIndex } from './modules/serving/serving-index.js';
import { Collection } from './modules/sites/collect/collection.js';
import { Reserving } from './modules/sites/delete/reserving.js';
import { ScratchFolder } from './modules/sites/deploy/scratch-folder.js';
import { Expiring } from './modules/sites/expire/expiring.js';
import { SiteJobs } from './modules/sites/jobs/site-jobs.js';
import { Leaving } from './modules/sites/leave/leaving.js';
import { SecretsSweeping } from './modules/sites/secrets/sweeping.js';
import { SitesModule } from './modules/sites/sites.module.js';
import { WaitlistModule } from './modules/waitlist/waitlist.module.js';
import { GitRepositories } from './outside/git/git-repositories.js';
import { NoIdentityProvider } from './outside/identity-provider/no-identity-provider.js';
import { OpenIdProvider } from './outside/identity-provider/open-id.engine.js';
import { NoMail, NoOutbox } from './outside/mail/no-mail.js';
import { OutboxMail } from './outside/mail/outbox.engine.js';
import { SmtpMail } from './outside/mail/smtp.engine.js';
import { RedisProcesses } from './outside/redis/redis-processes.js';
import { awaitProjector } from './projections/await-projector.js';
import { Checkpoints } from './projections/checkpoints.js';
import { FollowedLog } from './projections/followed-log.js';
import { Keeper } from './projections/keeper.js';
import { readModels } from './projections/read-models.js';
import { Rebuilder } from './projections/rebuilder.js';
import { tablesOf } from './projections/tables-of.js';
import { EventEngine, JobSettings, LimitsOfDeploys, SecurityContact, type Settings } from './settings.js';
import type { KurrentEngine } from './store/kurrent.engine.js';
import { Neighbours } from './store/neighbours.js';
import { PostgresEngine } from './store/postgres.engine.js';
import { PostgresSnapshots } from './store/postgres.snapshots.js';
import { AuditKeysTable } from './tables/audit-keys.js';
import { IdempotencyTable } from './tables/idempotency.js';
import { InvitesTable } from './tables/invites.js';
import { JobQueueTable } from './tables/job-queue.js';
import { MailedLinksTable } from './tables/mailed-links.js';
import { PeopleTable } from './tables/people.js';
import { RunWritersTable } from './tables/run-writers.js';
import { SessionsTable } from './tables/sessions.js';
import { SignInAttemptsTable } from './tables/sign-in-attempts.js';
import { SitePasswordsTable } from './tables/site-passwords.js';
import { TerminalSignInsTable } from './tables/terminal-sign-ins.js';
import { UsedTicketsTable } from './tables/used-tickets.js';
import { VaultTable } from './tables/vault.js';
import { WaitlistTable } from './tables/waitlist.js';
import { Lifecycle } from './wiring/lifecycle.js';

/** How often tables that nobody needs any more are looked for. */
const SWEEP_MS = 600_000;

/** What the process was given to work with. */
export type Surroundings = {
  readonly settings: Settings;
  /** Its `error` event is heard by whoever made it. */
  readonly pool: Pool;
  /** 32 bytes: what is sealed in the database is sealed with it. */
  readonly masterKey: Buffer;
  /** 32 bytes: what is signed or hashed with a key has one that is derived from it. It outlives a change of the master key. */
  readonly rootKey: Buffer;
  /** For TypeORM, which keeps connections of its own to the same database. */
  readonly database: DataSourceOptions & { readonly type: 'postgres' };
};

/** The only file that chooses engines and lists modules. */
@Module({})
export class AppModule {
  static with(surroundings: Surroundings): DynamicModule {
    const { settings } = surroundings;
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        TypeOrmModule.forRoot({ ...surroundings.database, ...tablesOf(readModels) }),
        { ...TypeOrmModule.forFeature(tablesOf(readModels).entities), global: true },
        EnginesModule.with(surroundings),
        SitesModule,
        ServingModule,
        AboutModule,
        WaitlistModule,
        IdentityModule,
        RunsModule,
        JobsModule,
      ],
      controllers: [LiveController],
      providers: [
        LiveGateway,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useValue: shapes },
        {
          provide: Lifecycle,
          inject: [
            EventStore,
            Snapshots,
            FollowedLog,
            EventEngine,
            BlobStore,
            Keeper,
            Rebuilder,
            ServingIndex,
            Collection,
            Expiring,
            IdempotencyKeys,
            Written,
            Waitlist,
            People,
            Sessions,
            MailedLinks,
            Invites,
            TerminalSignIns,
            SignInAttempts,
            Measures,
            ScratchFolder,
            LiveStreams,
            RunWriters,
            Repositories,
            JobQueue,
            Workers,
            AuditKeys,
            ForgottenJobs,
            ForgottenRuns,
            Vault,
            SecretsSweeping,
            OtherProcesses,
            SitePasswords,
            UsedTickets,
            Erasing,
            Reserving,
            Checkpoints,
            Served,
            Neighbours,
          ],
          useFactory: (
            store: PostgresEngine | KurrentEngine,
            snapshots: PostgresSnapshots,
            followed: FollowedLog,
            engine: EventEngine,
            blobs: DiskPacks,
            keeper: Keeper,
            rebuilder: Rebuilder,
            serving: ServingIndex,
            collection: Collection,
            expiring: Expiring,
            keys: IdempotencyTable,
            written: Written,
            waitlist: WaitlistTable,
            people: PeopleTable,
            sessions: SessionsTable,
            links: MailedLinksTable,
            invites: InvitesTable,
            terminals: TerminalSignInsTable,
            attempts: SignInAttemptsTable,
            measures: Measures,
            scratch: ScratchFolder,
            live: LiveStreams,
            runWriters: RunWritersTable,
            repositories: GitRepositories,
            queue: JobQueueTable,
            workers: Workers,
            auditKeys: AuditKeysTable,
            forgottenJobs: ForgottenJobs,
            forgottenRuns: ForgottenRuns,
            vault: VaultTable,
            sweeping: SecretsSweeping,
            others: OtherProcesses,
            sitePasswords: SitePasswordsTable,
            usedTickets: UsedTicketsTable,
            erasing: Erasing,
            reserving: Reserving,
            checkpoints: Checkpoints,
            served: Served,
            neighbours: Neighbours,
          ) =>
            new Lifecycle(settings.roles, [
              { name: 'event store', start: (signal) => store.start(signal), stop: () => store.stop() },
              { name: 'snapshots', start: () => snapshots.start() },
              ...(others instanceof RedisProcesses
                ? [{ name: 'other processes', start: () => others.start(), stop: () => others.stop() }]
                : []),
              { name: 'what was written before', start: async () => written.upTo(await store.lastPosition()) },
              {
                name: 'the folder of the content',
                start: async () => {
                  if (settings.databaseUrl !== null) await joinContentFolder(surroundings.pool, settings.dataFolder);
                },
              },
              { name: 'audit keys', start: () => auditKeys.start() },
              { name: 'vault', start: () => vault.start() },
              { name: 'waitlist', start: () => waitlist.start() },
              { name: 'people', start: () => people.start() },
              { name: 'sessions', start: (signal) => sessions.start(signal) },
              { name: 'mailed links', start: (signal) => links.start(signal) },
              { name: 'invites', start: (signal) => invites.start(signal) },
              { name: 'terminal sign-ins', start: (signal) => terminals.start(signal) },
              { name: 'sign-ins under way', start: (signal) => attempts.start(signal) },
              { name: 'site passwords', start: () => sitePasswords.start() },
              { name: 'used tickets', start: (signal) => usedTickets.start(signal) },
              { name: 'what waits on disk', start: () => scratch.start() },
              { name: 'run writers', start: () => runWriters.start() },
              { name: 'content', start: () => blobs.start(), stop: () => blobs.stop() },
              {
                name: 'read models of a new version',
                start: async (signal) => {
                  await keeper.prepare([]);
                  await followed.check(engine.name);
                  if (!settings.roles.has('projector')) return awaitProjector(checkpoints, signal);
                  await rebuilder.buildMissing(readModels, signal, announceRebuild());
                },
              },
              {
                name: 'read models',
                roles: ['projector'],
                start: (signal) => keeper.start(readModels, signal),
                stop: () => keeper.stopped(),
              },
              {
                name: 'old read models',
                roles: ['projector'],
                start: async (signal) => void rebuilder.sweepOn(SWEEP_MS, signal),
              },
              { name: 'serving index', roles: ['api', 'serve'], start: (signal) => serving.start(signal) },
              { name: 'idempotency keys', start: (signal) => keys.start(signal, settings.databaseUrl === null) },
              { name: 'people who are going', start: () => erasing.start() },
              { name: 'collection', roles: ['worker'], start: async (signal) => collection.start(signal) },
              {
                name: 'secrets of nobody',
                roles: ['worker'],
                start: async (signal) => sweeping.start(signal),
                stop: () => sweeping.stopped(),
              },
              { name: 'measures', start: (signal) => measures.start(signal) },
              { name: 'expiry', roles: ['worker'], start: async (signal) => expiring.start(signal) },
              { name: 'slugs of deleted sites', roles: ['worker'], start: async (signal) => reserving.start(signal) },
              { name: 'repositories', start: () => repositories.start() },
              { name: 'job queue', start: (signal) => queue.start(signal, settings.databaseUrl === null) },
              {
                name: 'jobs',
                roles: ['worker'],
                start: async (signal) => workers.start(signal),
                stop: () => workers.stopped(),
              },
              { name: 'old jobs', roles: ['worker'], start: async (signal) => forgottenJobs.start(signal) },
              { name: 'old runs', roles: ['worker'], start: async (signal) => forgottenRuns.start(signal) },
              {
                name: 'neighbours',
                start: async (signal) => {
                  if (settings.databaseUrl !== null) await neighbours.start(signal);
                },
              },
              {
                name: 'what neighbours wrote',
                roles: ['api', 'serve'],
                start: async (signal) => {
                  if (settings.databaseUrl === null) return;
                  const here = async (position: bigint) => {
                    written.upTo(position);
                    await served.reached(position);
                  };
                  await neighbours.follow(store, here, signal);
                },
              },
              { name: 'live streams', roles: ['api'], start: () => live.start(), stop: () => live.stop() },
            ]),
        },
      ],
    };
  }
}

/** Live connections at once, and streams on them. An operator without limits has them from his own machine, and no stranger. */
const CONNECTIONS = { address: 200, session: 50, all: 20_000 };
const UNCOUNTED = { address: 20_000, session: 20_000, all: 20_000 };

/** The ports, each with the engine that was chosen for it. */
@Global()
@Module({})
class EnginesModule {
  static with({ settings, pool, masterKey, rootKey }: Surroundings): DynamicModule {
    const log = new Logger('Read models');
    const onError = (model: string, error: unknown) =>
      log.warn(`${model}: ${error instanceof Error ? error.message : error}; trying again`);

    const mail = mailOf(settings);

    const providers = [
      { provide: Mail, useValue: mail },
      { provide: Outbox, useValue: mail instanceof OutboxMail ? mail : new NoOutbox() },
      { provide: People, useFactory: () => new PeopleTable(pool) },
      { provide: Sessions, useFactory: () => new SessionsTable(pool) },
      { provide: MailedLinks, useFactory: () => new MailedLinksTable(pool, rootKey) },
      { provide: Invites, useFactory: () => new InvitesTable(pool) },
      { provide: TerminalSignIns, useFactory: () => new TerminalSignInsTable(pool) },
      { provide: SignInAttempts, useFactory: () => new SignInAttemptsTable(pool) },
      { provide: IdentityProvider, useValue: identityProviderOf(settings) },
      { provide: LinkTokens, useValue: new LinkTokens(rootKey) },
      { provide: SitePasswords, useFactory: () => new SitePasswordsTable(pool, rootKey) },
      { provide: UsedTickets, useFactory: () => new UsedTicketsTable(pool) },
      { provide: VisitorSeals, useValue: new VisitorSeals(rootKey) },
      { provide: Addresses, useValue: new Addresses(settings) },
      { provide: LimitsOfDeploys, useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits) },
      { provide: JobSettings, useValue: settings.jobs },
      { provide: StreamsKept, useValue: settings.streamsKept },
      { provide: SecurityContact, useValue: settings.securityContact },
      { provide: Peers, useValue: new Peers(settings.trustedProxies) },
      { provide: Operator, useValue: new Operator(settings.adminToken) },
      {
        provide: OtherProcesses,
        inject: [EventStore],
        useFactory: (store: PostgresEngine | KurrentEngine) =>
          settings.redisUrl === null
            ? new NoOtherProcesses()
            : new RedisProcesses(
                settings.redisUrl,
                // EventStoreDB tells its subscribers itself.
                (position) => (store instanceof PostgresEngine ? store.reached(position) : undefined),
                (line) => new Logger('Redis').warn(line),
              ),
      },
      {
        provide: RateLimits,
        inject: [OtherProcesses],
        useFactory: (others: OtherProcesses) => rateLimitsOf(settings, rootKey, others),
      },
      { provide: RunWriters, useFactory: () => new RunWritersTable(pool) },
      { provide: Waitlist, useFactory: () => new WaitlistTable(pool) },
      { provide: AuditKeys, useFactory: () => new AuditKeysTable(pool, masterKey) },
      { provide: Vault, useFactory: () => new VaultTable(pool, masterKey) },
      { provide: Ids, useClass: RandomIds },
      { provide: EventStore, useFactory: () => eventStoreOf(settings, pool) },
      { provide: EventEngine, useValue: { name: settings.eventStoreUrl === null ? 'postgresql' : 'kurrentdb' } },
      {
        provide: FollowedLog,
        inject: [EventStore],
        useFactory: (store: EventStore) => new FollowedLog(pool, store),
      },
      { provide: Snapshots, useFactory: () => new PostgresSnapshots(pool) },
      { provide: ScratchFolder, useValue: new ScratchFolder(join(settings.dataFolder, 'incoming')) },
      { provide: BlobStore, useFactory: () => new DiskPacks(join(settings.dataFolder, 'packs'), pool) },
      { provide: Checkpoints, useFactory: () => new Checkpoints(pool, readModels) },
      { provide: ReadModels, useExisting: Checkpoints },
      settings.roles.has('serve') || settings.roles.has('api')
        ? { provide: Served, useExisting: ServingIndex }
        : { provide: Served, useClass: ServedByOthers },
      { provide: Neighbours, useFactory: () => new Neighbours(pool.options) },
      {
        provide: LiveStreams,
        inject: [EventStore, Peers],
        useFactory: (store: EventStore, peers: Peers) =>
          new LiveStreams(store, {
            addressOf: (request) => networkOf(peers.addressOf(request)),
            most: settings.rateLimits ? CONNECTIONS : UNCOUNTED,
          }),
      },
      SessionStrategy,
      EditTokenStrategy,
      Callers,
      {
        provide: SocketCallers,
        inject: [Callers, Ids],
        useFactory: (callers: Callers, ids: Ids) => new WebSocketCallers(callers, ids, settings.baseUrl, LIVE_PATH),
      },
      Written,
      Once,
      SigningIn,
      MailedLinkDoor,
      Arrival,
      { provide: JobQueue, useFactory: () => new JobQueueTable(pool, settings.jobs.leaseMs) },
      { provide: SitesForJobs, useExisting: SiteJobs },
      { provide: Departures, useExisting: Leaving },
      {
        provide: AddressKeepers,
        inject: [Waitlist, MailedLinks, Invites, IdempotencyKeys],
        useFactory: (...keepers: AddressKeeper[]) => new AddressKeepers(keepers),
      },
      {
        provide: Repositories,
        useFactory: () => new GitRepositories(join(settings.dataFolder, 'copies'), settings.repoHosts, addressesOf),
      },
      { provide: IdempotencyKeys, useFactory: () => new IdempotencyTable(pool) },
      {
        provide: Keeper,
        inject: [EventStore, getDataSourceToken(), Checkpoints],
        useFactory: (store: EventStore, db: DataSource, checkpoints: Checkpoints) =>
          new Keeper(store, pool, db, checkpoints, onError),
      },
      {
        provide: Rebuilder,
        inject: [EventStore, getDataSourceToken()],
        useFactory: (store: EventStore, db: DataSource) => new Rebuilder(store, pool, db, readModels),
      },
      {
        provide: Transactions,
        inject: [EventStore, Snapshots, Ids, Written, Served, OtherProcesses, Neighbours],
        useFactory: (
          store: EventStore,
          snapshots: Snapshots,
          ids: Ids,
          written: Written,
          served: Served,
          others: OtherProcesses,
          neighbours: Neighbours,
        ) =>
          new Transactions(store, snapshots, ids, async (position) => {
            others.tell(position);
            written.upTo(position);
            await Promise.all([served.reached(position), neighbours.reached(position)]);
          }),
      },
    ];
    return { module: EnginesModule, imports: [ServingModule, SitesModule], providers, exports: providers.map(tokenOf) };
  }
}

/** Shared where there is a Redis to share them by; with one that is away each process has its own. */
function rateLimitsOf(settings: Settings, rootKey: Buffer, others: OtherProcesses): RateLimits {
  if (!settings.rateLimits) return new NoRateLimits();
  const own = new MemoryRateLimits();
  if (!(others instanceof RedisProcesses)) return own;
  return new RedisRateLimits(others.client, Buffer.from(hkdfSync('sha256', rootKey, '', 'stele rates', 32)), own);
}

async function eventStoreOf({ eventStoreUrl: url }: Settings, pool: Pool): Promise<EventStore> {
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url === null) return new PostgresEngine({ pool, ...recording });
  // Loaded for those who use it: its client takes a quarter of a second to load, and tens of MB.
  const { KurrentEngine } = await import('./store/kurrent.engine.js');
  const log = new Logger('Event store');
  return new KurrentEngine({ url, say: (message) => log.warn(message), ...recording });
}

function mailOf({ mail, mailFrom, dataFolder }: Settings): Mail {
  const log = new Logger('Mail');
  switch (mail.kind) {
    case 'smtp':
      return new SmtpMail(mail.url, mailFrom, (line) => log.warn(line));
    case 'outbox':
      return new OutboxMail(join(dataFolder, 'outbox'), mailFrom, (line) => log.warn(line));
    case 'none':
      return new NoMail();
  }
}

function identityProviderOf({ identityProvider, baseUrl }: Settings): IdentityProvider {
  if (identityProvider === null) return new NoIdentityProvider();
  const log = new Logger('Identity provider');
  const redirectUri = `${baseUrl}${CALLBACK}`;
  return new OpenIdProvider({ ...identityProvider, redirectUri, warn: (line) => log.warn(line) });
}

/** As the system resolves names, its own file of hosts included. */
const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);

const tokenOf = (provider: { provide: unknown } | Class): Class =>
  typeof provider === 'function' ? provider : (provider.provide as Class);

type Class = new (...given: never[]) => unknown;
