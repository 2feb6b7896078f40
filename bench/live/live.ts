import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSecondsOf, memoryOf } from '../connector/proc.ts';
import { median, ratioOf, Targets } from '../figures.ts';
import { type Contestant, contestants } from './contestants.ts';
import type { Given, Heard, Question } from './subscribers.ts';

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 8);
const CROWDS = (process.env.STELE_BENCH_SUBSCRIBERS ?? '1000,5000').split(',').map(Number);
type Name = keyof typeof contestants;
const ALL: Name[] = ['stele', 'log', 'nchan', 'sse'];
const ASKED = process.env.STELE_BENCH_CONTESTANTS?.split(',');
const NAMES = ALL.filter((name) => ASKED?.includes(name) ?? true);
const OURS: Name[] = ['stele', 'log'];
const PER_SECOND = 100;

const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
/** Returns 200 bytes: the byte that subscribers count, the sending time in microseconds, and filler. */
const text = () => `~${now()}`.padEnd(200, ' the quick brown fox');

const crowd = spawn(
  'taskset',
  ['-c', '1', process.execPath, fileURLToPath(new URL('subscribers.ts', import.meta.url))],
  {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  },
);
async function ask(question: Question, given: Partial<Given> = {}): Promise<Heard> {
  const answered = new Promise<Heard & { error?: string }>((resolve) => crowd.once('message', resolve));
  crowd.send({ ask: question, ...given });
  const answer = await answered;
  if (answer.error) throw new Error(answer.error);
  return answer;
}

type Result = Record<'perSecond' | 'offered' | 'all' | 'p50' | 'p99' | 'cpu', number>;

const connect = ({ port, path, headers = '' }: Contestant, count: number) =>
  ask('connect', { port, path, headers, count });

/** Starts one contestant, measures it with `count` subscribers, and stops it. */
async function round(name: Name, count: number): Promise<Result> {
  const server = await contestants[name]();
  // Catches errors, so that an overloaded peer that rejects a message gets a lower figure and does not end the bench.
  const publish = () =>
    server.publish(text()).catch((fault) => {
      if (OURS.includes(name)) throw fault;
    });
  try {
    await connect(server, count);
    await pause(1_500);
    for (let n = 0; n < 50; n++) {
      await publish(); // A warm-up, which is not measured.
      await pause(10);
    }
    await pause(1_000);
    await ask('begin');
    const cpu = cpuSecondsOf(server.pid);
    const began = performance.now();
    const published: Promise<unknown>[] = [];
    for (let n = 0; n < SECONDS * PER_SECOND; n++) {
      published.push(publish());
      await pause(Math.max(0, began + ((n + 1) * 1000) / PER_SECOND - performance.now()));
    }
    const { marks = 1 } = server;
    const { heard } = await ask('heard');
    const seconds = (performance.now() - began) / 1000;
    const used = (cpuSecondsOf(server.pid) - cpu) / seconds;
    await Promise.all(published);
    await pause(300);
    const { p50, p99, heard: all } = await ask('delays');
    return {
      perSecond: heard / marks / seconds,
      offered: (count * SECONDS * PER_SECOND) / seconds,
      all: all / marks / (count * SECONDS * PER_SECOND),
      p50,
      p99,
      cpu: used,
    };
  } finally {
    await ask('leave');
    await server.end();
  }
}

/**
 * Opens `count` idle connections, and then twice as many more. Returns the growth of the process's memory per
 * connection in both steps, in KiB. The first figure includes the effects of any load: compiled code, a larger heap,
 * uncollected garbage.
 */
async function idle(name: Name, count: number): Promise<[first: number, more: number]> {
  const server = await contestants[name]();
  try {
    const growth = async (some: number) => {
      const before = memoryOf(server.pid);
      await connect(server, some);
      await pause(1_500);
      return (memoryOf(server.pid) - before) / some;
    };
    return [await growth(count), await growth(2 * count)];
  } finally {
    await ask('leave');
    await server.end();
  }
}

/** Measures the time from sending to receiving one message after another, with a single subscriber. */
async function alone() {
  const server = await contestants.stele();
  try {
    await connect(server, 1);
    for (let n = 0; n < 300; n++) {
      if (n === 100) await ask('begin');
      await server.publish(text());
    }
    await pause(100);
    return await ask('delays');
  } finally {
    await ask('leave');
    await server.end();
  }
}

const targets = new Targets();
const round1 = (number: number) => number.toFixed(1);

try {
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}. Servers on core 0, subscribers on core 1.`,
  );
  console.log(`${PER_SECOND} messages/s of 200 bytes for ${SECONDS} s, ${ROUNDS} interleaved rounds; medians.\n`);

  for (const count of CROWDS) {
    const results: Record<Name, Result[]> = { stele: [], log: [], nchan: [], sse: [] };
    for (let n = 0; n < ROUNDS; n++) {
      for (const name of NAMES) results[name].push(await round(name, count));
    }
    console.log(`${count} subscribers`);
    const all = (name: Name, what: keyof Result) => results[name].map((result) => result[what]);
    const of = (name: Name, what: keyof Result) => median(all(name, what));
    for (const name of NAMES) {
      console.log(
        `  ${name.padEnd(6)} ${Math.round(of(name, 'perSecond'))}/s of ${Math.round(of(name, 'offered'))}, p50 ${round1(of(name, 'p50'))} ms, p99 ${round1(of(name, 'p99'))} ms, cpu ${round1(100 * of(name, 'cpu'))} %`,
      );
    }
    for (const name of OURS.filter((each) => count >= 5_000 && NAMES.includes(each))) {
      const delivered = of(name, 'all');
      console.log(
        `  ${name}: delivered ${round1(100 * delivered)} % (target 100)${targets.verdict(delivered >= 0.9999 && of(name, 'perSecond') >= 0.95 * count * PER_SECOND)}`,
      );
      console.log(
        `  ${name}: p99 ${round1(of(name, 'p99'))} ms (target 250)${targets.verdict(of(name, 'p99') <= 250)}`,
      );
      const [first, more] = await idle(name, count);
      console.log(
        `  ${name}: idle ${round1(first)} KiB per connection, with twice as many ${round1(more)} (target 25)${targets.verdict(more <= 25)}`,
      );
    }
    if (!(['stele', 'nchan', 'sse'] as const).every((name) => NAMES.includes(name))) continue;
    const ratio = (what: keyof Result, peer: Name) => ratioOf(all('stele', what), all(peer, what));
    if (count >= 5_000) {
      console.log(
        `  ${round1(ratio('perSecond', 'nchan'))} × nchan (target 4.5)${targets.verdict(ratio('perSecond', 'nchan') >= 4.5)}`,
      );
      console.log(
        `  ${round1(ratio('perSecond', 'sse'))} × @Sse (target 10)${targets.verdict(ratio('perSecond', 'sse') >= 10)}`,
      );
    } else {
      console.log(
        `  ${ratio('cpu', 'nchan').toFixed(2)} × nchan's CPU (target 0.9)${targets.verdict(ratio('cpu', 'nchan') <= 0.9)}`,
      );
    }
    console.log();
  }
  const { p50, p99 } = await alone();
  console.log(
    `one subscriber: delivery p50 ${round1(p50)} ms (target 10), p99 ${round1(p99)} ms${targets.verdict(p50 < 10)}`,
  );
} finally {
  crowd.kill();
}
process.exitCode = targets.areMet ? 0 : 1;
