import type { Need } from './needs.ts';

/** What a machine needs to run several processes behind Caddy. */
export const NEEDS_OF_FLEET: readonly Need[] = ['database', 'git', 'redis', 'caddy'];

/** HTTP tests that a whole run repeats against a fleet, because several processes might behave differently from one. */
export const againstFleet = [
  'deploying/idempotency',
  'deploying/races',
  'deploying/redeploy',
  'live/live-sites',
  'live/live-sockets',
  'sharing/capabilities',
  'sites/rename',
].map((name) => `test/http/${name}.http-spec.ts`);

/**
 * HTTP tests that a whole run repeats with `STELE_FAST_PATH=off`: reading requests, sending files, and proxying to site
 * servers. `STELE_FAST_PATH=off npm test -- test/http` runs every HTTP test that way.
 */
export const withoutFastPath = [
  'servers/hostile-servers',
  'servers/server-web-sockets',
  'servers/servers',
  'service/connections',
  'service/http-protocol',
  'serving/fast-path',
  'serving/host-routing',
  'serving/large-heads',
  'serving/serving',
  'serving/serving-conditions',
  'serving/serving-parts',
].map((name) => `test/http/${name}.http-spec.ts`);

/**
 * Patterns of `npm test -- --fast`: all unit tests, all database tests except slow ones, and for each subject of HTTP
 * the tests that most changes would break.
 */
export const fast = [
  '(?<!/(?:hostile-files|machine|fast-path))\\.spec\\.ts$',
  '/src/.*(?<!/(?:rebuild|traffic-writer))\\.db-spec\\.ts$',
  '/test/db/(job-queue|memory\\.engine|packs|postgres\\.engine|snapshots\\.engine)\\.db-spec\\.ts$',
  `/test/http/(${[
    'deploying/(redeploy|story)',
    'generate/templates',
    'history/deploys',
    'live/live-runs',
    'people/sign-in',
    'serving/(serving|fast-path)',
    'sharing/(capabilities|members)',
    'sites/claim',
    'service/about',
  ].join('|')})\\.http-spec\\.ts$`,
];

/** Files that are not run with EventStoreDB, and the reasons. */
export const onPostgresAlone = [
  { file: 'histories.system-spec.ts', reason: 'it reads the log with SQL' },
  { file: 'audit-tampered.http-spec.ts', reason: 'it changes events with SQL as a database superuser' },
  { file: 'kurrent.http-spec.ts', reason: 'it always starts its own EventStoreDB' },
  { file: 'eager-agents.http-spec.ts', reason: 'it tests leases that need the log in the same PostgreSQL' },
  { file: 'going-back.http-spec.ts', reason: 'it always uses both stores' },
  { file: 'earlier-data.http-spec.ts', reason: 'it always uses both stores' },
  { file: 'moving-log.system-spec.ts', reason: 'it always uses both stores' },
  {
    file: 'event-store-outages.system-spec.ts',
    reason: 'it always starts its own EventStoreDB',
  },
  {
    file: 'long-history.system-spec.ts',
    reason: 'it writes its history with SQL and counts reads in PostgreSQL',
  },
];

/**
 * Tests that a whole run repeats with EventStoreDB, by the feature of `EventStore` that they use. All other tests only
 * read streams and append to them, which `test/contracts/event-store.contract.ts` checks in both stores.
 * `STELE_TEST_STORE=esdb npm test -- http-spec` runs every HTTP test there.
 */
const usesOfTheStore = [
  {
    use: 'appends that compete, or that are sent again',
    files: ['deploying/idempotency', 'deploying/races', 'deploying/redeploy', 'sites/claim', 'sites/rename'],
  },
  {
    use: 'positions, and reads that wait for them',
    files: [
      'deploying/deploy',
      'deploying/story',
      'history/deploys',
      'history/made-up-position',
      'sharing/capabilities',
    ],
  },
  { use: 'whole streams as they are stored', files: ['history/audit', 'generate/prompts'] },
  {
    use: 'streams that are followed',
    files: ['live/live-names', 'live/live-runs', 'live/live-sites', 'live/live-sockets', 'sharing/members-live'],
  },
  {
    use: 'several processes on one log',
    files: ['people/tokens-two-processes', 'service/two-processes', 'sharing/access-two-processes'],
  },
  { use: 'events that are dropped, and what remains', files: ['people/erase', 'sites/delete-site', 'sites/expiry'] },
  {
    use: 'work queued without the transaction that PostgreSQL would share with the log',
    files: ['connector/agents', 'connector/callers', 'connector/processes', 'connector/story'],
  },
  { use: 'the state of the store', files: ['service/about', 'service/about-metrics', 'status/status'] },
];

/** The only fault test that a whole run repeats: processes and databases stop and restart under load. */
const faultsOverEventStore = ['test/faults/outages.system-spec.ts'];

export const overEventStore = [
  ...usesOfTheStore.flatMap(({ files }) => files.map((name) => `test/http/${name}.http-spec.ts`)),
  ...faultsOverEventStore,
];
