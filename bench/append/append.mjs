import { cpus } from 'node:os';
import { contestants } from './contestants.mjs';
import { startPostgres } from './postgres.mjs';

/** The targets in bench/README.md: how many times the events/s of a peer, at so many appends at once. */
const promises = [
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
 * Events per second of some appenders, each of which waits for its answer before it appends again. New streams in each
 * round.
 */
async function load(contestant, atOnce, forMs, each = async (append) => append()) {
  const appenders = Array.from({ length: atOnce }, contestant.appender);
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

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/**
 * Follows the log while others append: how many acknowledged events it never saw, and how long after its answer it saw
 * the median one.
 */
async function follow({ store, ...contestant }, atOnce) {
  const answered = new Map();
  const seen = new Map();
  const done = new AbortController();
  const from = await store.lastPosition();
  const written = Promise.withResolvers();
  const following = (async () => {
    for await (const events of store.follow(from, done.signal)) {
      const now = performance.now();
      for (const { position } of events) seen.set(position, now);
      written.promise.then((last) => events.at(-1).position >= last && done.abort());
    }
  })();
  await load(contestant, atOnce, 2 * ROUND_MS, async (append) => answered.set(await append(), performance.now()));
  const last = await contestant.appender()();
  answered.set(last, performance.now());
  written.resolve(last);
  const late = setTimeout(() => done.abort(), 5_000);
  await following;
  clearTimeout(late);
  const delays = [...answered]
    .filter(([position]) => seen.has(position))
    .map(([position, at]) => seen.get(position) - at);
  return { missed: answered.size - delays.length, events: answered.size, ms: median(delays) };
}

const postgres = await startPostgres();
const opened = {};
for (const [name, open] of Object.entries(contestants))
  opened[name] = await open(await postgres.database(`bench_${name}`));
const names = Object.keys(opened);
let kept = true;
const verdict = (good) => {
  kept &&= good;
  return good ? '' : '  MISSED';
};

console.log(`${postgres.version}, fsync on, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `One event of about 200 bytes to a stream of its own; median of ${ROUNDS} interleaved rounds of ${ROUND_MS} ms.\n`,
);

for (const name of names) await load(opened[name], 64, ROUND_MS); // warm: plans, code, files
for (const atOnce of [1, 16, 64]) {
  const rounds = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < names.length; n++) {
      const name = names[(n + round) % names.length];
      rounds[name].push(await load(opened[name], atOnce, ROUND_MS));
    }
  }
  const figures = names.map((name) => `${name} ${Math.round(median(rounds[name]))}/s`);
  console.log(`${String(atOnce).padStart(2)} at once: ${figures.join(', ')}`);
  for (const { peer, ratio } of promises.filter((promise) => promise.atOnce === atOnce)) {
    const reached = median(rounds.stele.map((figure, round) => figure / rounds[peer][round]));
    console.log(`    ${reached.toFixed(2)} × ${peer} (target: ${ratio})${verdict(reached >= ratio)}`);
  }
}

for (const atOnce of [1, 16, 64]) {
  const { missed, events, ms } = await follow(opened.stele, atOnce);
  console.log(
    `${String(atOnce).padStart(2)} at once, followed: ${missed} of ${events} missed, seen ${ms.toFixed(2)} ms after the response ` +
      `(target: 0, ${SEEN_WITHIN_MS})${verdict(missed === 0 && ms < SEEN_WITHIN_MS)}`,
  );
}

for (const name of names) await opened[name].close();
await postgres.stop();
process.exitCode = kept ? 0 : 1;
