import { spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../append/postgres.ts';
import { quantile } from '../figures.ts';
import { pg, product } from '../product.ts';

const { SiteCreated, SiteDeployed, siteStream } = await product('events/site/site.events.js');
const { catalogue, isChained } = await product('events/catalogue.js');
const { emptyStream } = await product('kernel/event-store.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const FOR_MS = Number(process.env.STELE_BENCH_MS ?? 20_000);
const AT_ONCE = 64;
const digest = (text: string) => hash('sha256', text);

const postgres = await startPostgres();
const url = await postgres.database('project');
const pool = new pg.Pool({ connectionString: url, max: 8 });
const store = new PostgresEngine({ pool, catalogue, isChained, digest });
await store.start();
const projector = spawn(process.execPath, [fileURLToPath(new URL('projector.ts', import.meta.url)), url], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
await once(projector.stdout, 'data');

/**
 * Positions of acknowledged appends, with the times of the acknowledgements. Positions ascend, because batches are
 * acknowledged one at a time.
 */
const answered: [position: bigint, at: number][] = [];
let isOver = false;
async function append(): Promise<void> {
  while (!isOver) {
    const stream = siteStream(`site_${randomUUID()}`);
    const by = () => ({
      id: `evt_${randomUUID()}`,
      at: new Date().toISOString(),
      actor: { kind: 'anonymous' } as const,
    });
    const first = [{ ...SiteCreated({ slug: stream, editTokenHash: digest(stream) }), ...by() }];
    let { head } = await accepted(store.append(stream, emptyStream, first));
    let replaced: string | null = null;
    for (let number = 1; number <= 10 && !isOver; number++) {
      const deployId = `dep_${randomUUID()}`;
      const data = {
        deployId,
        number,
        manifest: digest(deployId),
        files: 3,
        bytes: 4096,
        source: 'upload' as const,
        message: null,
        replaced,
        jobId: null,
        commit: null,
        provenance: null,
        trusted: null,
        client: null,
        program: null,
      };
      const appended = await accepted(store.append(stream, head, [{ ...SiteDeployed(data), ...by() }]));
      answered.push([appended.position, performance.now()]);
      head = appended.head;
      replaced = deployId;
    }
  }
}

/** Appends events. Throws on a conflict, because nothing else writes to these streams. */
async function accepted(appending: ReturnType<typeof store.append>) {
  const appended = await appending;
  if (appended === 'conflict') throw new Error('An append conflicted although nothing else was writing.');
  return appended;
}

/** Milliseconds from the acknowledgement of each append to its arrival in all read models. */
const lags: number[] = [];
async function watch() {
  for (let next = 0; ; ) {
    const { rows } = await pool.query<{ position: string }>('select min(position) as position from checkpoints');
    const now = performance.now();
    const reached = BigInt(rows[0]?.position ?? 0);
    for (let each = answered[next]; each !== undefined && each[0] <= reached; each = answered[++next]) {
      lags.push(now - each[1]);
    }
    if (isOver && next === answered.length) return;
    await delay(2);
  }
}

const began = performance.now();
const watching = watch();
const appending = Promise.all(Array.from({ length: AT_ONCE }, append));
await delay(FOR_MS);
isOver = true;
await appending;
const appended = performance.now() - began;
answered.sort((a, b) => (a[0] < b[0] ? -1 : 1));
await watching;
const caughtUp = performance.now() - began;
const events = Number(await store.lastPosition());
projector.stdin.end();
await once(projector, 'exit');
await store.stop();
await pool.end();
await postgres.stop();

const percentile = (part: number) => Math.max(0, quantile(lags, part)).toFixed(0);
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(
  `${events} events appended by ${AT_ONCE} at once, ${Math.round((events / appended) * 1000)}/s; in all four read models ${Math.round((events / caughtUp) * 1000)}/s`,
);
console.log(
  `delay from the response to an append until it was in all read models: median ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms`,
);
