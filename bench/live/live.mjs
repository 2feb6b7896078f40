import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contestants } from './contestants.mjs';

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 8);
const CROWDS = (process.env.STELE_BENCH_SUBSCRIBERS ?? '1000,5000').split(',').map(Number);
const NAMES = (process.env.STELE_BENCH_CONTESTANTS ?? Object.keys(contestants).join(',')).split(',');
const OURS = ['stele', 'log'];
const PER_SECOND = 100;
const TICKS_PER_SECOND = 100;

const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
/** 200 bytes: a mark, the time it was sent in microseconds, and filler. */
const text = () => `~${now()}`.padEnd(200, ' the quick brown fox');
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** A process and all its descendants. */
function treeOf(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const tree = [pid];
  for (const member of tree) for (const [child, parent] of parents) if (parent === member) tree.push(child);
  return tree;
}

function cpuSeconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [user, system] = fields
        .slice(fields.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      ticks += Number(user) + Number(system);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

const crowd = spawn(
  'taskset',
  ['-c', '1', process.execPath, fileURLToPath(new URL('subscribers.mjs', import.meta.url))],
  {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  },
);
async function ask(question, given = {}) {
  crowd.send({ ask: question, ...given });
  const [answer] = await once(crowd, 'message');
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** One contestant with so many subscribers, from an empty server to its end. */
async function round(name, count) {
  const server = await contestants[name]();
  // A peer that is too busy to accept a message has delivered less: that is its figure, and no reason to stop.
  const publish = () =>
    server.publish(text()).catch((fault) => {
      if (OURS.includes(name)) throw fault;
    });
  try {
    await ask('connect', { port: server.port, path: server.path, headers: server.headers, count });
    await pause(1_500);
    for (let n = 0; n < 50; n++) {
      await publish(); // warm
      await pause(10);
    }
    await pause(1_000);
    await ask('begin');
    const pids = treeOf(server.pid);
    const cpu = cpuSeconds(pids);
    const began = performance.now();
    const published = [];
    for (let n = 0; n < SECONDS * PER_SECOND; n++) {
      published.push(publish());
      await pause(Math.max(0, began + ((n + 1) * 1000) / PER_SECOND - performance.now()));
    }
    const { marks = 1 } = server;
    const { heard } = await ask('heard');
    const seconds = (performance.now() - began) / 1000;
    const used = (cpuSeconds(pids) - cpu) / seconds;
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
 * What the process grows by, KiB each, with so many connections that nothing is sent to, and with twice as many more. The
 * first ones bring with them what any load brings: compiled code, a larger heap, garbage that is not yet worth collecting.
 */
async function idle(name, count) {
  const server = await contestants[name]();
  try {
    const grown = [];
    for (const some of [count, 2 * count]) {
      const before = memory(server.pid);
      await ask('connect', { port: server.port, path: server.path, headers: server.headers, count: some });
      await pause(1_500);
      grown.push((memory(server.pid) - before) / some);
    }
    return grown;
  } finally {
    await ask('leave');
    await server.end();
  }
}

/** The time from sending to receiving, one message after another, with a single subscriber. */
async function alone() {
  const server = await contestants.stele();
  try {
    await ask('connect', { port: server.port, path: server.path, count: 1 });
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

let isKept = true;
const verdict = (good) => {
  isKept &&= good;
  return good ? '' : '  MISSED';
};
const round1 = (number) => (number ?? Number.NaN).toFixed(1);

try {
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}. Servers on core 0, subscribers on core 1.`,
  );
  console.log(`${PER_SECOND} messages/s of 200 bytes for ${SECONDS} s, ${ROUNDS} interleaved rounds; medians.\n`);

  for (const count of CROWDS) {
    const results = Object.fromEntries(NAMES.map((name) => [name, []]));
    for (let n = 0; n < ROUNDS; n++) {
      for (const name of NAMES) results[name].push(await round(name, count));
    }
    console.log(`${count} subscribers`);
    const of = (name, what) => median(results[name].map((result) => result[what]));
    for (const name of Object.keys(results)) {
      console.log(
        `  ${name.padEnd(6)} ${Math.round(of(name, 'perSecond'))}/s of ${Math.round(of(name, 'offered'))}, p50 ${round1(of(name, 'p50'))} ms, p99 ${round1(of(name, 'p99'))} ms, cpu ${round1(100 * of(name, 'cpu'))} %`,
      );
    }
    for (const name of OURS.filter((each) => count >= 5_000 && NAMES.includes(each))) {
      const delivered = of(name, 'all');
      console.log(
        `  ${name}: delivered ${round1(100 * delivered)} % (target 100)${verdict(delivered >= 0.9999 && of(name, 'perSecond') >= 0.95 * count * PER_SECOND)}`,
      );
      console.log(`  ${name}: p99 ${round1(of(name, 'p99'))} ms (target 250)${verdict(of(name, 'p99') <= 250)}`);
      const [first, more] = await idle(name, count);
      console.log(
        `  ${name}: idle ${round1(first)} KiB per connection, with twice as many ${round1(more)} (target 25)${verdict(more <= 25)}`,
      );
    }
    if (!['stele', 'nchan', 'sse'].every((name) => NAMES.includes(name))) continue;
    const ratio = (what, peer) => median(results.stele.map((result, n) => result[what] / results[peer][n][what]));
    if (count >= 5_000) {
      console.log(
        `  ${round1(ratio('perSecond', 'nchan'))} × nchan (target 4.5)${verdict(ratio('perSecond', 'nchan') >= 4.5)}`,
      );
      console.log(
        `  ${round1(ratio('perSecond', 'sse'))} × @Sse (target 10)${verdict(ratio('perSecond', 'sse') >= 10)}`,
      );
    } else {
      console.log(
        `  ${ratio('cpu', 'nchan').toFixed(2)} × nchan's CPU (target 0.9)${verdict(ratio('cpu', 'nchan') <= 0.9)}`,
      );
    }
    console.log();
  }
  const { p50, p99 } = await alone();
  console.log(`one subscriber: delivery p50 ${round1(p50)} ms (target 10), p99 ${round1(p99)} ms${verdict(p50 < 10)}`);
} finally {
  crowd.kill();
}
process.exitCode = isKept ? 0 : 1;
