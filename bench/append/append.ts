import { cpus } from 'node:os';
import { median, ratioOf, Targets } from '../figures.ts';
import { type Contestant, contestants, type FollowedContestant } from './contestants.ts';
import { startPostgres } from './postgres.ts';

/**
 * Targets from bench/README.md. Each is the minimum ratio of the product's events per second to a peer's, with `atOnce`
 * concurrent appends.
 */
const promises: { atOnce: number; peer: 'insert' | 'emmett'; ratio: number }[] = [
  { atOnce: 1, peer: 'insert', ratio: 0.8 },
  { atOnce: 16, peer: 'insert', ratio: 1.8 },
  { atOnce: 16, peer: 'emmett', ratio: 5 },
  { atOnce: 64, peer: 'insert', ratio: 4 },
  { atOnce: 64, peer: 'emmett', ratio: 14 },
];
const SEEN_WITHIN_MS = 2;

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
const ROUND_MS = Number(process.env.STELE_BENCH_ROUND_MS ?? 800);

/**
 * Returns how many events per second concurrent appenders append. Each appender waits for a response before its next
 * append. Each round uses new streams.
 */
async function load<Answer>(
  contestant: Contestant<Answer>,
  atOnce: number,
  forMs: number,
  each: (append: () => Promise<Answer>) => Promise<unknown> = async (append) => append(),
): Promise<number> {
  const appenders = Array.from({ length: atOnce }, () => contestant.appender());
  await Promise.all(appenders.map((append) => append()));
  let events = 0;
  const began = performance.now();
  await Promise.all(
    appenders.map(async (append) => {
      for (; performance.now() - began < forMs; events++) await each(append);
    }),
  );
  return (events / (performance.now() - began)) * 1000;
}

/**
 * Follows the log during appends. Returns the number of acknowledged events that it missed, and the median delay from
 * the acknowledgement of an event to its arrival.
 */
async function follow({ store, ...contestant }: FollowedContestant, atOnce: number) {
  const answered = new Map<bigint, number>();
  const seen = new Map<bigint, number>();
  const done = new AbortController();
  const from = await store.lastPosition();
  const written = Promise.withResolvers<bigint>();
  const following = (async () => {
    for await (const events of store.follow(from, done.signal)) {
      const now = performance.now();
      for (const { position } of events) seen.set(position, now);
      void written.promise.then((last) => (events.at(-1)?.position ?? 0n) >= last && done.abort());
    }
  })();
  await load(contestant, atOnce, 2 * ROUND_MS, async (append) => answered.set(await append(), performance.now()));
  const last = await contestant.appender()();
  answered.set(last, performance.now());
  written.resolve(last);
  const late = setTimeout(() => done.abort(), 5_000);
  await following;
  clearTimeout(late);
  const delays = [...answered].flatMap(([position, at]) => {
    const seenAt = seen.get(position);
    return seenAt === undefined ? [] : [seenAt - at];
  });
  return { missed: answered.size - delays.length, events: answered.size, ms: median(delays) };
}

const postgres = await startPostgres();
const stele = await contestants.stele(await postgres.database('bench_stele'));
const opened = {
  stele,
  emmett: await contestants.emmett(await postgres.database('bench_emmett')),
  insert: await contestants.insert(await postgres.database('bench_insert')),
};
type Name = keyof typeof opened;
const names: Name[] = ['stele', 'emmett', 'insert'];
const run = (name: Name, atOnce: number) => load<unknown>(opened[name], atOnce, ROUND_MS);
const targets = new Targets();

console.log(`${postgres.version}, fsync on, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `One event of about 200 bytes to a stream of its own; median of ${ROUNDS} interleaved rounds of ${ROUND_MS} ms.\n`,
);

for (const name of names) await run(name, 64); // A warm-up, which is not measured.
for (const atOnce of [1, 16, 64]) {
  const rounds: Record<Name, number[]> = { stele: [], emmett: [], insert: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < names.length; n++) {
      const name = names[(n + round) % names.length]!;
      rounds[name].push(await run(name, atOnce));
    }
  }
  const figures = names.map((name) => `${name} ${Math.round(median(rounds[name]))}/s`);
  console.log(`${String(atOnce).padStart(2)} at once: ${figures.join(', ')}`);
  for (const { peer, ratio } of promises.filter((promise) => promise.atOnce === atOnce)) {
    const reached = ratioOf(rounds.stele, rounds[peer]);
    console.log(`    ${reached.toFixed(2)} × ${peer} (target: ${ratio})${targets.verdict(reached >= ratio)}`);
  }
}

for (const atOnce of [1, 16, 64]) {
  const { missed, events, ms } = await follow(stele, atOnce);
  console.log(
    `${String(atOnce).padStart(2)} at once, followed: ${missed} of ${events} missed, seen ${ms.toFixed(2)} ms after the response ` +
      `(target: 0, ${SEEN_WITHIN_MS})${targets.verdict(missed === 0 && ms < SEEN_WITHIN_MS)}`,
  );
}

for (const name of names) await opened[name].close();
await postgres.stop();
process.exitCode = targets.areMet ? 0 : 1;
