import { join } from 'node:path';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RandomIds } from '../adapters/random-ids.js';
import { BlobStore } from '../blobs/blob-store.js';
import { PeerProgress } from '../cluster/peer-progress.js';
import { PeerWakeUps } from '../cluster/peer-wake-ups.js';
import { isWorkStream } from '../events/work.events.js';
import { ServiceUrls } from '../http/api/service-urls.js';
import { Authentication } from '../http/auth/authentication.js';
import { KnownAgents } from '../http/auth/known-agents.js';
import { LinkTokens } from '../http/auth/links/link-tokens.js';
import { MagicLink } from '../http/auth/links/magic-link.js';
import { LoginCompletion } from '../http/auth/login-completion.js';
import { Operator } from '../http/auth/operator.js';
import { SessionStart } from '../http/auth/session-start.js';
import { SocketAuthentication } from '../http/auth/socket-authentication.js';
import { AccessTokenStrategy } from '../http/auth/strategies/access-token-strategy.js';
import { EditTokenStrategy } from '../http/auth/strategies/edit-token-strategy.js';
import { ProbeToken } from '../http/auth/strategies/probe-token.js';
import { SessionStrategy } from '../http/auth/strategies/session-strategy.js';
import { UploadTokens } from '../http/auth/upload-tokens.js';
import { ClientAddress, networkOf } from '../http/limits/client-address.js';
import { Idempotency } from '../http/limits/idempotency.js';
import { RateLimits } from '../http/limits/rate-limits.js';
import { EventStore } from '../kernel/event-store.js';
import { Ids } from '../kernel/ids.js';
import { AccessLog } from '../kernel/ports/access-log.js';
import { AccountErasure } from '../kernel/ports/account-erasure.js';
import { AgentGrants } from '../kernel/ports/agent-grants.js';
import { CertifiableHosts } from '../kernel/ports/certifiable-hosts.js';
import { ConnectorHosts, ConnectorSites } from '../kernel/ports/connector-sites.js';
import { DomainSites } from '../kernel/ports/domain-sites.js';
import { JobSites } from '../kernel/ports/job-sites.js';
import { AuthorizationServer } from '../kernel/ports/outside/authorization-server.js';
import { Builder } from '../kernel/ports/outside/builder.js';
import { CertificateServer } from '../kernel/ports/outside/certificate-server.js';
import { Countries } from '../kernel/ports/outside/countries.js';
import { DomainChecker } from '../kernel/ports/outside/domain-checker.js';
import { IdentityProvider } from '../kernel/ports/outside/identity-provider.js';
import { ImageBuilder } from '../kernel/ports/outside/image-builder.js';
import { Mail, Outbox } from '../kernel/ports/outside/mail.js';
import { PageModel } from '../kernel/ports/outside/page-model.js';
import { Programs } from '../kernel/ports/outside/programs.js';
import { RedisHealth } from '../kernel/ports/outside/redis-health.js';
import { Repositories } from '../kernel/ports/outside/repositories.js';
import { TokenIssuers } from '../kernel/ports/outside/token-issuers.js';
import { PagePublishing } from '../kernel/ports/page-publishing.js';
import { PersonalDataStores } from '../kernel/ports/personal-data-stores.js';
import { ProbeFindings } from '../kernel/ports/probe-findings.js';
import { ProbeSite } from '../kernel/ports/probe-site.js';
import { ReadModels } from '../kernel/ports/read-models.js';
import { ServerCounts } from '../kernel/ports/server-counts.js';
import { ServerSites } from '../kernel/ports/server-sites.js';
import { NoServing, ServingStatus } from '../kernel/ports/serving-status.js';
import { SiteHosts } from '../kernel/ports/site-hosts.js';
import { SiteServers } from '../kernel/ports/site-servers.js';
import { StreamRetention } from '../kernel/ports/stream-retention.js';
import { TrafficSites } from '../kernel/ports/traffic-sites.js';
import { WakeUps } from '../kernel/ports/wake-ups.js';
import { GivenPositions } from '../kernel/positions/given-positions.js';
import { WritePosition } from '../kernel/positions/write-position.js';
import { Snapshots } from '../kernel/snapshots.js';
import { Transactions } from '../kernel/transactions.js';
import { LIVE_PATH, SocketAuthenticator } from '../live/live.gateway.js';
import { LiveStreams } from '../live/live-streams.js';
import { TokenGrants } from '../modules/authorization/token-grants.js';
import { RelayKey } from '../modules/servers/relay/relay-key.js';
import { ServersModule } from '../modules/servers/servers.module.js';
import { KnownServers } from '../modules/servers/use/known-servers.js';
import { AccessSeals } from '../modules/serving/access/access-cookie-seals.js';
import { ServingModule } from '../modules/serving/serving.module.js';
import { ServedConnectors } from '../modules/serving/sites/connector-hosts.js';
import { ServedHosts } from '../modules/serving/sites/served-hosts.js';
import { ServingIndex } from '../modules/serving/sites/serving-index.js';
import { SiteAddresses } from '../modules/serving/sites/site-addresses.js';
import { SiteConnectors } from '../modules/sites/connector/site-connectors.js';
import { SiteDomains } from '../modules/sites/domains/site-domains.js';
import { SiteJobs } from '../modules/sites/jobs/site-jobs.js';
import { Leaving } from '../modules/sites/leave/leaving.js';
import { SitePages } from '../modules/sites/pages/site-pages.js';
import { UploadTickets } from '../modules/sites/prepare-upload/upload-tickets.js';
import { SiteProbe } from '../modules/sites/probe/site-probe.js';
import { SitePrograms } from '../modules/sites/servers/site-programs.js';
import { SitesModule } from '../modules/sites/sites.module.js';
import { SiteTraffic } from '../modules/sites/traffic/site-traffic.js';
import { Prober } from '../modules/status/probes/prober.js';
import { StatusModule } from '../modules/status/status.module.js';
import { Recorder } from '../modules/traffic/record/recorder.js';
import { TrafficModule } from '../modules/traffic/traffic.module.js';
import { connectionOf } from '../postgres/connection-of.js';
import { Checkpoints } from '../projections/projector/checkpoints.js';
import { LogIdentity } from '../projections/projector/log-identity.js';
import { Projector } from '../projections/projector/projector.js';
import { readModels } from '../projections/read-models.js';
import { Rebuilder } from '../projections/rebuild/rebuilder.js';
import { GenerationSettings } from '../settings.generation.js';
import {
  AnonymousExpiry,
  BuildSettings,
  ConnectorSettings,
  EventEngine,
  JobSettings,
  LimitsOfDeploys,
  SecurityContact,
} from '../settings.js';
import { ServerSettings } from '../settings.servers.js';
import { StatusSettings } from '../settings.status.js';
import { TrafficSettings } from '../settings.traffic.js';
import { AgentArtifacts } from '../tables/agents/agent-artifacts.js';
import { AgentClients } from '../tables/agents/agent-clients.js';
import { AgentGrantsTable } from '../tables/agents/agent-grants.js';
import { People } from '../tables/people/people.js';
import { tables } from '../tables/tables.js';
import { SiteLogEntries } from '../tables/traffic/site-log/site-log-entries.js';
import { SiteLogFeed } from '../tables/traffic/site-log/site-log-feed.js';
import { SpoolFolder } from '../uploads/spool/spool-folder.js';
import { ProcessContext } from './context.js';
import { authorizationServerOf, chooseEngines, Engines } from './engines.js';
import { provide } from './nest/provide.js';

/** Live connections at once, and streams on them. Without rate limits an operator has them from one machine. */
const CONNECTIONS = { address: 200, session: 50, all: 20_000 };
const UNCOUNTED = { address: 20_000, session: 20_000, all: 20_000 };

/** What can be injected anywhere, each with what stands behind it in this process. */
@Global()
@Module({})
export class ProcessModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      { provide: ProcessContext, useValue: context },
      ...engineProviders(context),
      ...logProviders(context),
      ...tableProviders(context),
      ...edgeProviders(context),
      ...moduleProviders(context),
    ];
    return {
      module: ProcessModule,
      imports: [ServersModule, ServingModule, SitesModule, StatusModule, TrafficModule],
      providers,
      exports: providers.map(tokenOf),
    };
  }
}

const tokenOf = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);

/** The ports that engines stand behind. */
const engineProviders = (context: ProcessContext): Provider[] => [
  provide(Engines, [], () => chooseEngines(context)),
  provide(EventStore, [Engines], ({ eventStore }) => eventStore),
  provide(Snapshots, [Engines], ({ snapshots }) => snapshots),
  provide(RedisHealth, [Engines], ({ redis }) => redis),
  provide(RateLimits, [Engines], ({ rateLimits }) => rateLimits),
  provide(BlobStore, [Engines], ({ blobs }) => blobs),
  provide(Mail, [Engines], ({ mail }) => mail),
  provide(Outbox, [Engines], ({ outbox }) => outbox),
  provide(IdentityProvider, [Engines], ({ identityProvider }) => identityProvider),
  provide(CertificateServer, [Engines], ({ certificateServer }) => certificateServer),
  provide(DomainChecker, [Engines], ({ domainChecker }) => domainChecker),
  provide(PageModel, [Engines], ({ pageModel }) => pageModel),
  provide(TokenIssuers, [Engines], ({ tokenIssuers }) => tokenIssuers),
  provide(Repositories, [Engines], ({ repositories }) => repositories),
  provide(Builder, [Engines], ({ builder }) => builder),
  provide(ImageBuilder, [Engines], ({ imageBuilder }) => imageBuilder),
  provide(Programs, [Engines], ({ programs }) => programs),
  provide(Countries, [Engines], ({ countries }) => countries),
];

/** The log, how it is written, and what is read of it. */
function logProviders({ settings, pool }: ProcessContext): Provider[] {
  return [
    { provide: EventEngine, useValue: { name: settings.eventStoreUrl === null ? 'postgresql' : 'kurrentdb' } },
    provide(PeerProgress, [], () => new PeerProgress(connectionOf(pool))),
    provide(PeerWakeUps, [], () => new PeerWakeUps(pool, settings.databaseUrl === null ? null : connectionOf(pool))),
    { provide: WakeUps, useExisting: PeerWakeUps },
    WritePosition,
    provide(GivenPositions, [EventStore], (store) => new GivenPositions(() => store.lastPosition())),
    provide(
      Transactions,
      [EventStore, Snapshots, Ids, WritePosition, ServingStatus, PeerProgress],
      (store, snapshots, ids, writePosition, servingStatus, peerProgress) =>
        new Transactions(store, snapshots, ids, async (position, stream) => {
          // Nothing that is served, read or decided elsewhere follows from it.
          if (isWorkStream(stream)) return;
          writePosition.advanceTo(position);
          await Promise.all([servingStatus.reached(position), peerProgress.reached(position)]);
        }),
    ),
    provide(LogIdentity, [EventStore], (store) => new LogIdentity(pool, store)),
    provide(Checkpoints, [], () => new Checkpoints(pool, readModels)),
    { provide: ReadModels, useExisting: Checkpoints },
    provide(
      Projector,
      [EventStore, DataSource, Checkpoints],
      (store, db, checkpoints) => new Projector(store, pool, db, checkpoints),
    ),
    provide(Rebuilder, [EventStore, DataSource], (store, db) => new Rebuilder(store, pool, db, readModels)),
    settings.roles.has('serve') || settings.roles.has('api')
      ? { provide: ServingStatus, useExisting: ServingIndex }
      : { provide: ServingStatus, useClass: NoServing },
  ];
}

/** What is kept beside the log, and may be erased. */
function tableProviders(context: ProcessContext): Provider[] {
  const { settings } = context;
  const tableContext = { ...context, jobLeaseMs: settings.jobs.leaseMs };
  return [
    ...tables.map(({ access, open }) =>
      provide(access, [Engines], ({ logStatements: log }) => open({ ...tableContext, log })),
    ),
    provide(
      PersonalDataStores,
      [Outbox, ...tables.flatMap((table) => (table.keepsPersonalData ? [table.access] : []))],
      (...stores) => new PersonalDataStores(stores),
    ),
    provide(SiteLogEntries, [], () => new SiteLogEntries(context.pool, settings.traffic.accessKeptDays > 0)),
    provide(SiteLogFeed, [SiteLogEntries], (entries) => new SiteLogFeed(entries, connectionOf(context.pool))),
    { provide: SpoolFolder, useValue: new SpoolFolder(join(settings.dataFolder, 'incoming')) },
  ];
}

/** Callers: who and where they are, how often they may ask, and what they listen to. */
const edgeProviders = ({ settings, rootKey, ...context }: ProcessContext): Provider[] => [
  { provide: Ids, useClass: RandomIds },
  { provide: ServiceUrls, useValue: new ServiceUrls(settings) },
  { provide: ClientAddress, useValue: new ClientAddress(settings.trustedProxies) },
  { provide: ProbeToken, useValue: new ProbeToken(rootKey) },
  { provide: Operator, useValue: new Operator(settings.adminToken) },
  { provide: LinkTokens, useValue: new LinkTokens(rootKey) },
  { provide: UploadTickets, useValue: new UploadTickets(rootKey) },
  { provide: UploadTokens, useValue: new UploadTokens(rootKey) },
  { provide: AccessSeals, useValue: new AccessSeals(rootKey) },
  SessionStrategy,
  EditTokenStrategy,
  AccessTokenStrategy,
  KnownAgents,
  Authentication,
  Idempotency,
  SessionStart,
  MagicLink,
  LoginCompletion,
  provide(AgentGrants, [AgentGrantsTable], (grants) => new TokenGrants(grants)),
  provide(
    AuthorizationServer,
    [AgentGrantsTable, AgentArtifacts, AgentClients, People, Ids],
    (grants, artifacts, clients, people, ids) =>
      authorizationServerOf({ settings, rootKey, ...context }, { grants, artifacts, clients, people, ids }),
  ),
  provide(
    SocketAuthenticator,
    [Authentication, Ids],
    (authentication, ids) => new SocketAuthentication(authentication, ids, settings.baseUrl, LIVE_PATH),
  ),
  provide(
    LiveStreams,
    [EventStore, ClientAddress],
    (store, clientAddress) =>
      new LiveStreams({
        store,
        addressOf: (request) => networkOf(clientAddress.addressOf(request)),
        limits: settings.rateLimits ? CONNECTIONS : UNCOUNTED,
      }),
  ),
];

/** What modules learn of the settings, and what one does for another that it does not know. */
const moduleProviders = ({ settings, rootKey }: ProcessContext): Provider[] => [
  {
    provide: LimitsOfDeploys,
    useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits, settings.builds.programBytes),
  },
  { provide: AnonymousExpiry, useValue: settings.anonymousExpiry },
  { provide: BuildSettings, useValue: settings.builds },
  { provide: JobSettings, useValue: settings.jobs },
  { provide: StreamRetention, useValue: settings.streamRetention },
  { provide: ConnectorSettings, useValue: settings.connector },
  { provide: SecurityContact, useValue: settings.securityContact },
  { provide: GenerationSettings, useValue: settings.generation },
  { provide: TrafficSettings, useValue: settings.traffic },
  { provide: StatusSettings, useValue: settings.status },
  { provide: ServerSettings, useValue: settings.servers },
  { provide: RelayKey, useValue: new RelayKey(rootKey) },
  { provide: SiteServers, useExisting: KnownServers },
  { provide: ServerCounts, useFactory: () => new ServerCounts() },
  { provide: ServerSites, useExisting: SitePrograms },
  { provide: JobSites, useExisting: SiteJobs },
  { provide: ProbeSite, useExisting: SiteProbe },
  { provide: ProbeFindings, useExisting: Prober },
  { provide: PagePublishing, useExisting: SitePages },
  { provide: CertifiableHosts, useExisting: ServedHosts },
  { provide: DomainSites, useExisting: SiteDomains },
  { provide: TrafficSites, useExisting: SiteTraffic },
  { provide: AccessLog, useExisting: Recorder },
  { provide: SiteHosts, useExisting: SiteAddresses },
  { provide: ConnectorSites, useExisting: SiteConnectors },
  { provide: ConnectorHosts, useExisting: ServedConnectors },
  { provide: AccountErasure, useExisting: Leaving },
];
