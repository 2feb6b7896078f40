// Measures round trips through the connector (page → service → agent → service → page). Compares them with a Redis
// list behind the same HTTP code, and with one behind as little code as possible.
import { cpus } from 'node:os';
import { median, quantile, ratioOf } from '../figures.ts';
import { type Contestant, contestants } from './contestants.ts';
import { cpuSecondsOf } from './proc.ts';

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 3);
const CALLERS = Number(process.env.STELE_BENCH_CALLERS ?? 16);
const TARGET = 0.5;

type Figures = { perSecond: number[]; cpu: number[]; p50: number[]; p99: number[] };

/** An input of about 200 bytes, as a page might send it. */
const input = { question: 'What is it that lasts?', text: 'the quick brown fox jumps over the lazy dog '.repeat(4) };

/** An agent that handles one item at a time until `signal` aborts. */
async function work({ poll, result }: Contestant, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { status, body } = await poll();
    if (status !== 200) continue;
    const told = await result(body.id, { youSent: body.input });
    if (told.status !== 200 && !signal.aborted) throw new Error(`Sending a result returned ${told.status}`);
  }
}

/**
 * Runs concurrent callers. Returns the duration of each invocation in milliseconds, and the number of invocations per
 * second.
 */
async function call({ invoke }: Contestant, callers: number, seconds: number) {
  const start = performance.now();
  const enough = start + 1_000 * seconds;
  const took: number[] = [];
  const one = async () => {
    while (performance.now() < enough) {
      const began = performance.now();
      const { status, body } = await invoke(input);
      if (status !== 200 || body.output?.youSent?.question !== input.question)
        throw new Error(`An invocation returned ${status}: ${JSON.stringify(body)}`);
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
  return { took, perSecond: (1_000 * took.length) / (performance.now() - start) };
}

type Name = keyof typeof contestants;
const names: Name[] = ['stele', 'list', 'redis'];
const running = new Map<Name, Contestant>();
const ending = new AbortController();
let ratio = Number.NaN;
try {
  for (const name of names) {
    const contestant = await contestants[name]();
    running.set(name, contestant);
    work(contestant, ending.signal).catch((fault) => {
      if (!ending.signal.aborted) throw fault;
    });
  }
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}. One agent; ${ROUNDS} rounds of ${SECONDS} s.`,
  );

  const none = (): Figures => ({ perSecond: [], cpu: [], p50: [], p99: [] });
  const figures: Record<Name, Figures> = { stele: none(), list: none(), redis: none() };
  // The first round only warms up.
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, contestant] of round % 2 === 0 ? running : [...running].reverse()) {
      const used = () => contestant.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
      const before = used();
      const many = await call(contestant, CALLERS, SECONDS);
      const cpu = (1_000 * (used() - before)) / many.took.length;
      const { took } = await call(contestant, 1, SECONDS / 3);
      if (round < 0) continue;
      figures[name].perSecond.push(many.perSecond);
      figures[name].cpu.push(cpu);
      figures[name].p50.push(quantile(took, 0.5));
      figures[name].p99.push(quantile(took, 0.99));
    }

  for (const name of names) {
    const { perSecond, cpu, p50, p99 } = figures[name];
    console.log(
      `${name.padEnd(6)} ${CALLERS} callers: ${Math.round(median(perSecond))} round trips/s, ${median(cpu).toFixed(2)} ms of CPU each; one caller: p50 ${median(p50).toFixed(2)} ms, p99 ${median(p99).toFixed(2)} ms`,
    );
  }
  const times = (peer: Name) => ratioOf(figures.stele.perSecond, figures[peer].perSecond);
  const sooner = (peer: Name) => ratioOf(figures[peer].p50, figures.stele.p50);
  ratio = times('list');
  console.log(`${ratio.toFixed(2)} × the list (target ${TARGET})${ratio >= TARGET ? '' : '  MISSED'}`);
  console.log(`${times('redis').toFixed(2)} × redis`);
  for (const peer of ['list', 'redis'] as const)
    console.log(`${sooner(peer).toFixed(2)} × lower latency than ${peer}, one caller (p50)`);
} finally {
  ending.abort();
  await Promise.all([...running.values()].map(({ stop }) => stop()));
}
process.exitCode = ratio >= TARGET ? 0 : 1;
