import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** As `FaultPoints` wrote them, with the source of the expression that finds what writes. */
export const { steps, writes } = JSON.parse(readFileSync(process.env.STELE_TEST_STEPS, 'utf8'));

/** The faults that wait, and what was reached, in order. */
let faults = [];
let reached = [];
const unknown = [];
const counts = new Map();
/** What has ended since a step was reached last: the moment after it is not the moment before another. */
let ending = [];

export const die = () => process.kill(process.pid, 'SIGKILL');

const OURS = pathToFileURL(`${process.cwd()}/dist/`).href;
/** By the URL of a script of ours. `--enable-source-maps` would read those of all packages too, at every start. */
const maps = new Map();

function mapOf(script) {
  const map = maps.get(script) ?? new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(script)}.map`, 'utf8')));
  maps.set(script, map);
  return map;
}

function callSites() {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Object.assign(Error, { stackTraceLimit: 40, prepareStackTrace: (_, sites) => sites });
  const { stack } = new Error('here');
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return stack;
}

/** Where in our code we are: the innermost line of it. */
export function place() {
  for (const site of callSites()) {
    const script = site.getScriptNameOrSourceURL();
    if (!script?.startsWith(OURS)) continue;
    const entry = mapOf(script).findEntry(site.getLineNumber() - 1, site.getColumnNumber() - 1);
    if (!('originalSource' in entry)) continue;
    const file = relative(process.cwd(), fileURLToPath(new URL(entry.originalSource, script)));
    return { file, line: entry.originalLine + 1 };
  }
  return { file: '', line: 0 };
}

/** Says that a step was reached; answers what is to happen there, if anything, and what says that it is over. */
export function reach(id) {
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
export const foundUnknown = (what) => unknown.push(what);

const calls = Map.groupBy(
  steps.filter(({ call }) => call),
  ({ call }) => call,
);

/** The step that a call is, by where it is called from; null where that is not our code. */
export function calledStep(call) {
  const { file, line } = place();
  if (!file) return null;
  const here = (calls.get(call) ?? []).filter((step) => step.file === file);
  const near = here.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const id = (near ?? (here.length === 1 ? here[0] : null))?.id;
  if (id === undefined) foundUnknown(`${call} at ${file}:${line}`);
  return id ?? null;
}

/** Counts anew, with these faults waiting. */
export function begin(waiting) {
  faults = waiting;
  counts.clear();
  reached = [];
  unknown.length = 0;
  ending = [];
}

/** Ends the faults. */
export function giveRoom() {
  for (const each of faults) each.isOver = true;
}

export const report = () => ({ reached, unknown, faults });
