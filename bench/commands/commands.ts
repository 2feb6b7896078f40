import { hash } from 'node:crypto';
import { startPostgres } from '../append/postgres.ts';
import { median, ratioOf } from '../figures.ts';
import { pg, product } from '../product.ts';

const { SiteCreated, SiteDeployed, siteStream } = await product('events/site/site.events.js');
const { catalogue, isChained } = await product('events/catalogue.js');
const { RandomIds } = await product('adapters/random-ids.js');
const { Transactions } = await product('kernel/transactions.js');
const { decideRedeploy } = await product('modules/sites/publish/deploy/publish.decide.js');
const { site } = await product('modules/sites/site/state/site.state.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');
const { PostgresSnapshots } = await product('storage/store/postgres/postgres.snapshots.js');

/** Target: a command on a site with this many deploys costs at most twice as much as one on a new site. */
const DEPLOYS = Number(process.env.STELE_BENCH_DEPLOYS ?? 10_000);
const RATIO = 2;
const ROUNDS = 9;
const COMMANDS = 60;

const ids = new RandomIds();
const caller = { userId: null, editTokenHash: 'a'.repeat(64) };
const by = { at: new Date().toISOString(), actor: { kind: 'anonymous' } } as const;
const content = () => ({
  deployId: ids.make('dep'),
  manifest: 'b'.repeat(64),
  files: 3,
  bytes: 1000,
  source: 'upload' as const,
  jobId: null,
  commit: null,
  message: null,
  provenance: null,
  trusted: null,
  client: null,
  program: null,
});

const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: await postgres.database('commands'), max: 8 });
const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text: string) => hash('sha256', text) });
await store.start();
const transactions = () => new Transactions(store, new PostgresSnapshots(pool), ids);

/** Creates a site with one deploy. */
async function newSite() {
  const stream = siteStream(ids.make('site'));
  const deployed = { ...content(), number: 1, replaced: null };
  const events = [SiteCreated({ slug: 'bench', editTokenHash: caller.editTokenHash }), SiteDeployed(deployed)];
  await transactions().run(stream, site, () => events, {}, by);
  return stream;
}

const redeploy = (through: ReturnType<typeof transactions>, stream: string) =>
  through.run(
    stream,
    site,
    decideRedeploy,
    {
      context: { at: by.at, caller },
      content: content(),
      over: null,
      ifRevision: null,
      publish: true,
      renewedExpiry: null,
    },
    by,
  );

/** Returns the median duration of a command in milliseconds. With `cold`, each command starts without a cache. */
async function cost(stream: string, cold: boolean): Promise<number> {
  let through = transactions();
  await redeploy(through, stream);
  const times: number[] = [];
  for (let n = 0; n < COMMANDS; n++) {
    if (cold) through = transactions();
    const began = performance.now();
    await redeploy(through, stream);
    times.push(performance.now() - began);
  }
  return median(times);
}

process.stderr.write(`Deploying ${DEPLOYS} times to one site…\n`);
const old = await newSite();
const through = transactions();
for (let n = 1; n < DEPLOYS; n++) await redeploy(through, old);

type Costs = { old: number[]; fresh: number[] };
const costs: { warm: Costs; cold: Costs } = { warm: { old: [], fresh: [] }, cold: { old: [], fresh: [] } };
for (let round = 0; round < ROUNDS; round++) {
  const fresh = await newSite();
  for (const state of ['warm', 'cold'] as const) {
    costs[state].old.push(await cost(old, state === 'cold'));
    costs[state].fresh.push(await cost(fresh, state === 'cold'));
  }
}
await store.stop();
await pool.end();
await postgres.stop();

for (const [state, { old, fresh }] of Object.entries(costs)) {
  const ratio = ratioOf(old, fresh);
  const promised =
    state === 'warm'
      ? `, promised at most ${RATIO}: ${ratio <= RATIO ? 'kept' : 'MISSED'}`
      : ' (after a restart: the snapshot is read)';
  console.log(
    `${state.padEnd(5)} a redeploy of a site with ${DEPLOYS} deploys ${median(old).toFixed(2)} ms, of a new one ${median(fresh).toFixed(2)} ms: ${ratio.toFixed(2)} ×${promised}`,
  );
  if (state === 'warm' && ratio > RATIO) process.exitCode = 1;
}
