import { readFileSync } from 'node:fs';
import type { Fault, ReachedStep } from '../fault-points.js';
import type { Step } from '../steps-in-code.js';

/** An armed fault. `fired` is set once the fault has happened, and `isOver` once it can no longer happen. */
type WaitingFault = Fault & { fired?: true; isOver?: true };
type CountedStep = { -readonly [Key in keyof ReachedStep]: ReachedStep[Key] };
export type Reach = { readonly fault: WaitingFault | null; readonly over: () => void };

/**
 * The data that `FaultPoints` has written to the file at STELE_TEST_STEPS. `writes` is the source of a regular
 * expression that recognizes write statements.
 */
export const { steps, writes }: { steps: readonly Step[]; writes: string } = JSON.parse(
  readFileSync(process.env.STELE_TEST_STEPS ?? '', 'utf8'),
);

let faults: readonly WaitingFault[] = [];
let reached: CountedStep[] = [];
const unknown: string[] = [];
const counts = new Map<string, number>();
/**
 * Steps that have ended since the last step was reached. When another step is reached, their `isLast` becomes false.
 */
let ending: CountedStep[] = [];

export const die = () => process.kill(process.pid, 'SIGKILL');

const OURS = new RegExp(`${process.cwd()}/(src/[\\w./-]+\\.ts):(\\d+)`);

/** Returns the innermost location in a stack trace that is in the product's code. */
export function place(): { file: string; line: number } {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack } = new Error('here');
  Error.stackTraceLimit = limit;
  const [, file = '', line = '0'] = OURS.exec(stack ?? '') ?? [];
  return { file, line: Number(line) };
}

/**
 * Records that a step was reached. Returns the fault to apply, if any, and a function to call at the end of the step.
 */
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

export const foundUnknown = (what: string) => unknown.push(what);

const calls = Map.groupBy(
  steps.filter(({ call }) => call),
  ({ call }) => call,
);

/**
 * Returns the step of a function call, found by the call's location. Returns null if the product's code did not make
 * the call.
 */
export function calledStep(call: string): string | null {
  const { file, line } = place();
  if (!file) return null;
  const here = (calls.get(call) ?? []).filter((step) => step.file === file);
  const near = here.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const id = (near ?? (here.length === 1 ? here[0] : null))?.id;
  if (id === undefined) foundUnknown(`${call} at ${file}:${line}`);
  return id ?? null;
}

export function begin(waiting: readonly Fault[]): void {
  faults = waiting.map((fault) => ({ ...fault }));
  counts.clear();
  reached = [];
  unknown.length = 0;
  ending = [];
}

export function giveRoom(): void {
  for (const each of faults) each.isOver = true;
}

export const report = () => ({ reached, unknown, faults });
