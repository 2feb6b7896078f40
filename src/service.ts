import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DiscoveryService, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openRootKey } from './accounts/keys/root-key.js';
import { RandomIds } from './adapters/random-ids.js';
import { AppModule } from './app.module.js';
import { readTemplates } from './content/generation/templates/read-templates.js';
import { openFastConnections } from './edge/fast/fast-connections.js';
import { openSendfile } from './edge/fast/sendfile.js';
import { registerApiHooks } from './edge/http/api/api-hooks.js';
import { observeRequests } from './edge/http/api/request-observer.js';
import { ServiceUrls } from './edge/http/api/service-urls.js';
import { hideInvisibleSites } from './edge/http/api/site-visibility.js';
import { authenticateRequests } from './edge/http/auth/authenticate.js';
import { Authentication } from './edge/http/auth/authentication.js';
import { Operator } from './edge/http/auth/operator.js';
import { ProbeToken } from './edge/http/auth/strategies/probe-token.js';
import { readUploadTokens, UploadTokens } from './edge/http/auth/upload-tokens.js';
import { ClientAddress } from './edge/http/limits/client-address.js';
import { Idempotency } from './edge/http/limits/idempotency.js';
import { installRateLimits } from './edge/http/limits/limit-rates.js';
import { admitConnections, limitRequestsInProgress } from './edge/http/limits/open-per-address.js';
import { RateLimits } from './edge/http/limits/rate-limits.js';
import { turnsPerAddress } from './edge/http/limits/turns-per-address.js';
import { frameworkRefusal, MAX_PARAMETER_LENGTH } from './edge/http/problems/framework-refusal.js';
import { sendProblem } from './edge/http/problems/send-problem.js';
import type { OpenConnections } from './edge/http/server/connections/connections.js';
import { openNodeConnections } from './edge/http/server/connections/node-connections.js';
import { AT_ONCE } from './edge/http/server/connections/turns.js';
import { hostClassifier } from './edge/http/server/hosts/hosts.js';
import { HttpServer, NO_SITES_HANDLER } from './edge/http/server/http-server.js';
import { refuseTunnel, respondToMalformed } from './edge/http/server/malformed.js';
import { LiveAdapter } from './edge/live/live.adapter.js';
import { LIVE_PATH, messageParser } from './edge/live/live.gateway.js';
import { catalogue } from './events/catalogue.js';
import { logBackgroundTasks } from './kernel/faults/background-task.js';
import { heardElsewhere } from './kernel/faults/ignored-fault.js';
import { ServingStatus } from './kernel/ports/serving-status.js';
import { Refusal } from './kernel/refusal.js';
import { Measures } from './modules/about/metrics/measures.js';
import { describe } from './modules/about/openapi/describe.js';
import { CertificateAsk } from './modules/certificates/ask/certificate-ask.js';
import { SiteRequestHandler } from './modules/serving/site-request-handler.js';
import { servedPath } from './modules/status/show/announced-path.js';
import { Lifecycle } from './nest/lifecycle.js';
import type { ProcessRole } from './nest/roles.js';
import { finishRequests, prepareToStop } from './nest/stopping.js';
import { announce } from './process/start/announce.js';
import { domainWarnings } from './process/start/domain-warnings.js';
import { say, setLogForm } from './process/start/log.js';
import { openMasterKey } from './process/start/master-key.js';
import { explainPort, findPortProblem, freePort } from './process/start/port.js';
import { onStopRequests, surviveClosedOutput } from './process/start/stop-signals.js';
import { readSettings, type Settings } from './settings/settings.js';
import { type Database, forTypeOrm, isEmbeddedRunning, openDatabase } from './storage/postgres/open-database.js';
import { kurrentAddress } from './storage/store/kurrent/kurrent.address.js';
import { noteWrittenShapes, refuseNewerData } from './storage/store/newer-data/newer-data.js';

/**
 * When the process stops, running requests have this long to finish. If there are none, the process stops immediately.
 */
const FINISH_WITHIN_MS = 10_000;
/**
 * Maximum duration of a stop if no requests are running. Supervisors must wait longer than this between SIGTERM and
 * SIGKILL: at least 5 s, or 15 s if running deploys should finish.
 */
const STOP_WITHIN_MS = 4_500;

/** Timeouts that keep an unresponsive database from blocking callers of read models. */
const READ_IN_TIME = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 };

/** Errors that the operator can fix, shown without a stack trace. */
const EXPECTED = new Set([
  'SettingsError',
  'MasterKeyError',
  'CountryFileError',
  'TemplateError',
  'MasterKeyMismatchError',
  'DatabaseUnavailableError',
  'FolderInUseError',
  'EmbeddedPostgresError',
  'UnappliableEventError',
  'EventStoreLoginError',
  'UnusableEventError',
  'DifferentLogError',
  'ContentFolderMismatchError',
  'NewerDataError',
]);

/** Aborted when a stop is requested, which also interrupts a start. */
const stopping = new AbortController();
/** Resources that must be stopped even if the rest of the process does not respond. */
const opened: { database: Database | null; app: NestFastifyApplication | null } = { database: null, app: null };

/**
 * Starts the service and returns a function that stops it. If `stopping` is aborted during the start, closes everything
 * and rejects.
 */
async function start(): Promise<() => Promise<void>> {
  setLogForm(process.env.STELE_LOG === 'json' ? 'json' : 'text');
  logBackgroundTasks((line) => new Logger('Background').warn(line));
  const { signal } = stopping;
  const settings = await settingsFromEnvironment();
  const portProblem = await findPortProblem(settings);
  if (portProblem && !(await isOwnDatabaseRunning(settings))) throw portProblem;
  say(`Opening ${settings.databaseUrl === null ? `the data folder ${settings.dataFolder}` : 'the database'}…`);
  const database = await openDatabase({
    url: settings.databaseUrl,
    dataFolder: settings.dataFolder,
    announce: settings.baseUrl,
    log: say,
    signal,
  });
  opened.database = database;
  try {
    if (portProblem) throw portProblem;
    signal.throwIfAborted();
    await refuseNewerData(database.pool, { catalogue, eventStoreUrl: settings.eventStoreUrl });
    await noteWrittenShapes(database.pool, catalogue);
    signal.throwIfAborted();
    const { app, httpServer } = await listen(settings, database);
    if (!signal.aborted) {
      for (const warning of domainWarnings(settings)) say(warning);
      announce(settings, describeStores(settings, database));
    }
    return async () => {
      const discovery = app.get(DiscoveryService);
      await prepareToStop(discovery);
      await Promise.all([finishRequests(discovery, FINISH_WITHIN_MS), httpServer.finish(FINISH_WITHIN_MS)]);
      if (isAbandoned) return;
      setTimeout(() => abandon(1), STOP_WITHIN_MS).unref();
      await app.close().finally(() => database.close());
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Reports whether Stele is already running on this data folder. If so, the port is in use as well, but the error from
 * opening the database is more helpful.
 */
const isOwnDatabaseRunning = async ({ databaseUrl, dataFolder }: Settings) =>
  databaseUrl === null && (await isEmbeddedRunning(dataFolder));

const describeStores = ({ eventStoreUrl }: Settings, { description }: Database) =>
  eventStoreUrl === null
    ? description
    : `${description}; events in KurrentDB at ${kurrentAddress(eventStoreUrl).location}`;

async function listen(
  settings: Settings,
  database: Database,
): Promise<{ readonly app: NestFastifyApplication; readonly httpServer: HttpServer }> {
  const has = (role: ProcessRole) => settings.roles.has(role);
  const ids = new RandomIds();
  const clientAddress = new ClientAddress(settings.trustedProxies);
  const httpServer = new HttpServer({
    hostKindOf: hostClassifier(settings),
    admit: settings.rateLimits ? admitConnections(clientAddress) : () => true,
    turnsOf: settings.rateLimits ? turnsPerAddress(clientAddress) : () => AT_ONCE,
    gateways: has('api') ? [LIVE_PATH] : [],
    refuseTunnel: refuseTunnel(ids, settings.baseUrl),
    answerMalformed: respondToMalformed(ids, settings),
    openConnections: await connectionsOf(settings),
  });
  const statusPath = servedPath(settings.statusUrl);
  const adapter = new FastifyAdapter({
    serverFactory: httpServer.serverFactory,
    genReqId: () => ids.make('req'),
    clientErrorHandler: httpServer.clientErrorHandler,
    // Handles URLs that the router cannot decode, because they never reach Nest's exception filters.
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(request, reply, frameworkRefusal(error) ?? new Refusal('invalid_request'), settings.baseUrl),
    rewriteUrl: ({ url = '/' }) => statusPath(url),
    // While the server stops, hooks of the API refuse requests with the service’s own message and headers instead.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: true },
  });
  const masterKey = await openMasterKey(settings.dataFolder, settings.secretKey);
  const context = {
    settings,
    masterKey,
    rootKey: await openRootKey(database.pool, masterKey),
    pool: database.pool,
    database: forTypeOrm(database, { ...READ_IN_TIME, max: 8 }),
  };
  // Nest would print a stack trace if the operator's templates were invalid when they are first used, in a constructor.
  if (settings.generation.templates !== null) readTemplates(settings.generation.templates);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(context), adapter, {
    bodyParser: false,
    forceCloseConnections: true,
    abortOnError: false,
  });
  try {
    const addresses = app.get(ServiceUrls);
    registerApiHooks(adapter.getInstance(), addresses, has('api'), has('serve'));
    if (settings.rateLimits) limitRequestsInProgress(adapter.getInstance(), clientAddress);
    authenticateRequests(adapter.getInstance(), app.get(Authentication), app.get(Operator));
    readUploadTokens(adapter.getInstance(), app.get(UploadTokens));
    installRateLimits(
      adapter.getInstance(),
      app.get(RateLimits),
      clientAddress,
      app.get(Idempotency),
      app.get(ProbeToken),
    );
    hideInvisibleSites(adapter.getInstance(), app.get(ServingStatus));
    const measures = app.get(Measures);
    observeRequests(adapter.getInstance(), (observed) => measures.observe(observed));
    app.useWebSocketAdapter(new LiveAdapter(app, { messageParser }));
    opened.app = app;
    stopping.signal.throwIfAborted();
    await app.init();
    describe(app, addresses);
    const sites = has('serve') ? app.get<SiteRequestHandler, SiteRequestHandler>(SiteRequestHandler) : NO_SITES_HANDLER;
    const certificates = has('api') ? app.get<CertificateAsk, CertificateAsk>(CertificateAsk) : NO_SITES_HANDLER;
    httpServer.setFirstHandler({
      cachedResponse: sites.cachedResponse,
      forward: sites.forward,
      takesWebSocket: sites.takesWebSocket,
      answer: (request, response) => sites.answer(request, response) || certificates.answer(request, response),
    });
    await app.listen(settings.port, settings.host);
    return { app, httpServer };
  } catch (error) {
    await app.close();
    throw explainPort(error, settings);
  }
}

async function connectionsOf({ fastPath, dataFolder, roles }: Settings): Promise<OpenConnections> {
  if (!fastPath) return openNodeConnections;
  return openFastConnections(roles.has('serve') ? await openSendfile(dataFolder) : async () => null);
}

async function settingsFromEnvironment(): Promise<Settings> {
  const settings = readSettings(process.env);
  // Choose a free port before anything starts, because URLs contain the port.
  return settings.port === 0 ? readSettings({ ...process.env, PORT: String(await freePort(settings.host)) }) : settings;
}

function fail(error: unknown): never {
  const expected = error instanceof Error && EXPECTED.has(error.name);
  const reason = expected ? error.message : `Stele could not start.\n${error instanceof Error ? error.stack : error}`;
  say(`\n${reason}`, 'fatal');
  process.exit(1);
}

const ABANDON_AFTER_MS = 2_000;
let isAbandoned = false;

/**
 * Exits without waiting for running requests. Stops all services in parallel, but waits only briefly for them. Stopping
 * them also ends builds and unmounts their disks. Always stops the embedded database.
 */
async function abandon(code: number): Promise<void> {
  if (isAbandoned) return;
  isAbandoned = true;
  opened.app?.get(Lifecycle).interrupt();
  await Promise.race([opened.app?.close().catch(heardElsewhere), delay(ABANDON_AFTER_MS)]);
  await opened.database?.abandon().catch((error) => say(`Could not stop the database: ${error}`, 'fatal'));
  process.exit(code);
}

async function finish(signal: NodeJS.Signals): Promise<void> {
  say(`\n${signal}: stopping…`);
  stopping.abort();
  if (stop === null) {
    opened.app?.get(Lifecycle).interrupt();
    setTimeout(() => abandon(1), STOP_WITHIN_MS).unref();
    // The interrupted start closes everything and then fails. The error itself is not needed here.
    await started.catch(heardElsewhere);
  }
  await stop?.();
  if (!isAbandoned) process.exit(0);
}

let stop: (() => Promise<void>) | null = null;
surviveClosedOutput();
onStopRequests({
  stop: (signal) => void finish(signal).catch((error) => isAbandoned || fail(error)),
  hurry: () => void abandon(130),
});
const started = start().then((stopper) => {
  stop = stopper;
});
started.catch((error) => {
  if (!stopping.signal.aborted) fail(error);
});
