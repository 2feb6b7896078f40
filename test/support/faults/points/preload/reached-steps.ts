import { readFileSync } from 'node:fs';
import type { Fault, ReachedStep } from '../fault-points.js';
import type { Step } from '../steps-in-code.js';

/** A fault that waits; `fired` once it has happened, `isOver` once it no longer does. */
type WaitingFault = Fault & { fired?: true; isOver?: true };
type CountedStep = { -readonly [Key in keyof ReachedStep]: ReachedStep[Key] };
/** What happens at a step that was reached, and what reports that it has ended. */
export type Reach = { readonly fault: WaitingFault | null; readonly over: () => void };

/** As `FaultPoints` wrote them, with the source of the expression that finds what writes. */
export const { steps, writes }: { steps: readonly Step[]; writes: string } = JSON.parse(
  readFileSync(process.env.STELE_TEST_STEPS ?? '', 'utf8'),
);

/** The faults that wait, and what was reached, in order. */
let faults: readonly WaitingFault[] = [];
let reached: CountedStep[] = [];
const unknown: string[] = [];
const counts = new Map<string, number>();
/** What has ended since a step was reached last: the moment after it is not the moment before another. */
let ending: CountedStep[] = [];

export const die = () => process.kill(process.pid, 'SIGKILL');

const OURS = new RegExp(`${process.cwd()}/(src/[\\w./-]+\\.ts):(\\d+)`);

/** Where in our code we are: the innermost line of it. */
export function place(): { file: string; line: number } {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack } = new Error('here');
  Error.stackTraceLimit = limit;
  const [, file = '', line = '0'] = OURS.exec(stack ?? '') ?? [];
  return { file, line: Number(line) };
}

/** Says that a step was reached; answers what is to happen there, if anything, and what says that it is over. */
export function reach(id: string): Reach {
  const n = (counts.get(id) ?? 0) + 1;
  counts.set(id, n);
  const step = { id, n, isLast: false };
  reached.push(step);
  for (const each of ending) each.isLast = false;
  ending = [];
  const fault =
    faults.find((each) => !each.isOver && each.id === id && (each.always ? n >= each.n : each.n === n)) ?? null;
  if (fault) fault.fired = true;
  if (fault?.what === 'die' && fault.when === 'before') die();
  const over = () => {
    step.isLast = true;
    ending.push(step);
  };
  return { fault, over };
}

/** Something that writes or asks, and is none of the steps. */
export const foundUnknown = (what: string) => unknown.push(what);

const calls = Map.groupBy(
  steps.filter(({ call }) => call),
  ({ call }) => call,
);

/** The step that a call is, by where it is called from; null where that is not our code. */
export function calledStep(call: string): string | null {
  const { file, line } = place();
  if (!file) return null;
  const here = (calls.get(call) ?? []).filter((step) => step.file === file);
  const near = here.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const id = (near ?? (here.length === 1 ? here[0] : null))?.id;
  if (id === undefined) foundUnknown(`${call} at ${file}:${line}`);
  return id ?? null;
}

/** Counts anew, with these faults waiting. */
export function begin(waiting: readonly Fault[]): void {
  faults = waiting.map((fault) => ({ ...fault }));
  counts.clear();
  reached = [];
  unknown.length = 0;
  ending = [];
}

/** Ends the faults. */
export function giveRoom(): void {
  for (const each of faults) each.isOver = true;
}

export const report = () => ({ reached, unknown, faults });
