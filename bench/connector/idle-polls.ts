// Measures what a thousand waiting agents cost while nothing happens, and how soon one of them gets work.
import { setTimeout as pause } from 'node:timers/promises';
import { quantile, Targets } from '../figures.ts';
import { pg } from '../product.ts';
import { memoryOf } from './proc.ts';
import { type ConnectedSite, connectedSite, startStele } from './stele.ts';

const POLLS = Number(process.env.STELE_BENCH_POLLS ?? 1_000);
const SITES = 10;
const HAND_OVERS = Number(process.env.STELE_BENCH_HAND_OVERS ?? 500);
const PATIENCE_MS = 30_000;
const WINDOW_MS = 10_000;
/**
 * Delay before transactions are counted. PostgreSQL's counters may lag by 10 s, and opening the polls takes a while.
 */
const COUNTED_AFTER_MS = 17_000;
/**
 * Targets: the maximum 99th percentile of the delay until an agent gets work, in milliseconds, and the maximum memory
 * per poll, in KiB.
 */
const [MOST_P99, MOST_KIB] = [50, 20] as const;
/**
 * Maximum number of transactions in ten seconds that waiting polls may add. The service's own timers alone cause
 * differences of this size.
 */
const NOISE = 25;

const stele = await startStele();
const { client } = stele;
const database = new pg.Client(stele.database);
let isOver = false;
const targets = new Targets();

/** Callbacks that get the time at which an agent received an input, keyed by the number in the input. */
const handed = new Map<number, (at: number) => void>();
/** Number of polls that returned without work. */
let empty = 0;

async function answerPolls({ agent }: ConnectedSite): Promise<void> {
  while (!isOver) {
    const { status, body } = await client.get<{ id: string; input: { n: number } }>(
      '/v1/connector/poll?wait=30',
      agent,
    );
    if (status === 204) empty++;
    if (status === 204 || isOver) continue;
    if (status !== 200) throw new Error(`A poll returned ${status}: ${JSON.stringify(body)}`);
    handed.get(body.input.n)?.(performance.now());
    await client.post(`/v1/connector/result/${body.id}`, { output: null }, agent);
  }
}

/** Returns the number of transactions that the service executes in ten seconds. */
async function transactions() {
  const count = async () => {
    const text = "select xact_commit + xact_rollback as many from pg_stat_database where datname = 'stele'";
    return Number((await database.query<{ many: string }>(text)).rows[0]?.many);
  };
  await pause(COUNTED_AFTER_MS);
  const before = await count();
  await pause(WINDOW_MS);
  return (await count()) - before;
}

try {
  await database.connect();
  const sites: ConnectedSite[] = [];
  for (let n = 0; n < SITES; n++) sites.push(await connectedSite(stele));
  // Sends some requests before measuring, so that one-time costs and the growth of the heap do not count as costs of
  // the polls.
  const warm = async ({ agent }: ConnectedSite) => {
    for (let n = 0; n < 400; n++) await client.get('/v1/connector/poll?wait=0', agent);
  };
  await Promise.all(sites.map(warm));
  const without = await transactions();

  const before = memoryOf(stele.pid);
  const agents = Array.from({ length: POLLS }, (_, n) => answerPolls(sites[n % SITES]!));
  void Promise.all(agents).catch((fault) => {
    if (!isOver) throw fault;
  });
  const beside = await transactions();
  const each = (memoryOf(stele.pid) - before) / POLLS;
  const renewed = empty;

  const took: number[] = [];
  for (let n = 0; n < HAND_OVERS; n++) {
    const { slug, owner } = sites[n % SITES]!;
    const taken = new Promise<number>((resolve) => handed.set(n, resolve));
    const began = performance.now();
    const invoked = client.post(`/v1/sites/${slug}/connector/invoke`, { input: { n }, wait: 0 }, owner);
    const at = await Promise.race([taken, pause(PATIENCE_MS, null, { ref: false })]);
    if (at === null)
      throw new Error(`After ${PATIENCE_MS} ms no agent has received it: ${JSON.stringify(await invoked)}`);
    took.push(at - began);
    await invoked;
    await pause(10);
  }

  console.log(`${POLLS} polls for ${SITES} sites are waiting.`);
  console.log(`  ${each.toFixed(1)} KiB of memory each (target ${MOST_KIB})${targets.verdict(each < MOST_KIB)}`);
  console.log(
    `  ${beside} transactions in ${WINDOW_MS / 1_000} s (${renewed} polls ended meanwhile), ${without} without polls (target: at most ${NOISE} more)${targets.verdict(beside <= without + NOISE)}`,
  );
  const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)];
  console.log(
    `  from invoke to delivery to the agent: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (target ${MOST_P99})${targets.verdict(p99 < MOST_P99)}`,
  );
} finally {
  isOver = true;
  await database.end();
  await stele.stop();
}
process.exitCode = targets.areMet ? 0 : 1;
