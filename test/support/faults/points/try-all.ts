import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Fault } from './fault-points.js';
import type { Step } from './steps-in-code.js';
import { attempt, difference, type Outcome, type Reference, refer } from './trial.js';
import { nameOf, type Verb } from './verb.js';
import { World } from './world.js';

type Way = Pick<Fault, 'what' | 'when' | 'always'>;

const DIES: readonly Way[] = [
  { what: 'die', when: 'before' },
  { what: 'die', when: 'after' },
];
const CUT: readonly Way[] = [
  { what: 'cut', when: 'before' },
  { what: 'cut', when: 'after' },
];
/** A full disk stays full for a while. */
const FULL: readonly Way[] = [{ what: 'full', when: 'before', always: true }];

const WAYS: Readonly<Record<Step['kind'], readonly Way[]>> = {
  sql: [...DIES, ...CUT, ...FULL],
  file: [...DIES, ...FULL],
  outside: [...DIES, ...CUT],
};

/** What goes on beside requests is reached again and again: of each step the first two are tried. */
const MOST_TIMES = 2;

/** Where counts are kept. In a folder that is named, what stands there already is not tried again. */
const FOLDER = process.env.STELE_TEST_FAULTS ?? 'coverage/faults';
/** Seconds after which nothing more is tried: the next run goes on from there. */
const SECONDS = Number(process.env.STELE_TEST_FAULT_SECONDS ?? 36_000);
/** Reached by what first needs it after a start, as a process begins a pack of its own. */
const ONCE_A_START = /^src\/(storage\/blobs|adapters\/(identity-provider|network))\//;
/** What is done beside requests, from the log and by the clock: the same code, whatever was asked. */
const BESIDE = /^src\/(projections|modules\/traffic)\//;
/** With so many verbs every fault of such a step is tried; with each other one only those of `ofItsRows`. */
const FULLY = 3;
/** What a verb leaves to be written there is lost with the process, and is written where no answer tells of it. */
const ofItsRows = ({ id, n, what, when }: Fault) =>
  n === 1 &&
  ((what === 'die' && /read-model-table\.ts insert/.test(id)) ||
    (what === 'cut' && when === 'after' && /projector\.ts commit/.test(id)));
/** How often a step that is met now and then is waited for, in a whole run, until it counts as not to be met. */
const MOST_WAITS = 3;
const VERBS = new RegExp(process.env.STELE_TEST_VERBS ?? '');
const STEPS = new RegExp(process.env.STELE_TEST_POINTS ?? '');

/**
 * Every fault of every step that the verb reaches. The moment after a step is mostly the moment before the next, at which
 * nothing else is done: the process ends there once.
 */
export function faultsOf({ points }: World, { reached }: Reference): readonly Fault[] {
  const kinds = new Map(points.steps.map(({ id, kind }) => [id, kind]));
  return reached
    .filter(({ n }) => n <= MOST_TIMES)
    .flatMap(({ id, n, isLast }) =>
      WAYS[kinds.get(id) ?? 'sql']
        .filter(({ what, when }) => isLast || what !== 'die' || when === 'before')
        .map((way) => ({ id, n, ...way })),
    );
}

export const inWords = ({ id, n, what, when }: Fault) => `${what} ${when} ${id}${n > 1 ? ` for the ${n}th time` : ''}`;

const whole = (faults: readonly Fault[]) => faults;

/** By the verb and the fault, what became of it and in how many milliseconds. */
type Tried = Record<string, Outcome & { readonly ms: number }>;
export type Kept = { readonly reached: Record<string, readonly string[]>; readonly tried: Tried };

/** What was tried so far, by the name of what tried it. */
export function keptIn(folder: string): Map<string, Kept> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [name.replace(/\.json$/, ''), JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept]),
  );
}

/** Declares a test for each verb, in which all its faults are tried; `chosen` picks some of them. */
export function tryAll(
  name: string,
  verbs: readonly Verb[],
  chosen?: (faults: readonly Fault[]) => readonly Fault[],
): void {
  mkdirSync(FOLDER, { recursive: true });
  const earlier = process.env.STELE_TEST_FAULTS ? keptIn(FOLDER).get(name) : undefined;
  const kept: Kept = earlier ?? { reached: {}, tried: {} };
  const end = Date.now() + SECONDS * 1000;
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  }, 60_000);
  afterAll(async () => {
    await world?.close();
    const all = Object.values(kept.tried);
    const kinds = [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, { length }]) => `${length} ${kind}`);
    const steps = new Set(Object.values(kept.reached).flat());
    const seconds = all.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    process.stdout.write(
      `${name}: ${verbs.length} verbs, ${steps.size} steps, ${all.length} tried in ${seconds.toFixed()} s: ${kinds.join(', ')}\n`,
    );
  }, 60_000);
  // Others read what is there while this goes on.
  const keep = () => {
    writeFileSync(join(FOLDER, `${name}.part`), JSON.stringify(kept, null, 1));
    renameSync(join(FOLDER, `${name}.part`), join(FOLDER, `${name}.json`));
  };
  /** How often such a fault had this outcome, with whatever verb; where some are chosen, with those alone. */
  const timesOf = (fault: Fault, wanted: Outcome['kind']) =>
    [...new Map([...(chosen ? [] : keptIn(FOLDER)), [name, kept]]).values()]
      .flatMap(({ tried }) => Object.entries(tried))
      .filter(([key, { kind }]) => kind === wanted && key.endsWith(`: ${inWords(fault)}`)).length;

  for (const verb of verbs.filter((each) => VERBS.test(nameOf(each))))
    it(`${nameOf(verb)} keeps its promises whatever fails`, async () => {
      if (Date.now() > end) return;
      const reference = await refer(world, verb);
      const second = await refer(world, verb);
      expect(difference(reference.before, second.before) + difference(reference.after, second.after)).toBe('');
      kept.reached[nameOf(verb)] = [...new Set([...reference.reached, ...second.reached].map(({ id }) => id))].sort();

      const always = new Set(second.reached.map(({ id, n }) => `${id} ${n}`));
      /** What goes on beside requests is reached now and then, whatever is asked: it is tried until it was met once. */
      const isOwn = ({ id, n }: Fault) => always.has(`${id} ${n}`);
      for (const fault of (chosen ?? whole)(faultsOf(world, reference)).filter(({ id }) => STEPS.test(id))) {
        const key = `${nameOf(verb)}: ${inWords(fault)}`;
        if ((kept.tried[key] && kept.tried[key].kind !== 'broken') || Date.now() > end) continue;
        const isOnesOwn = isOwn(fault);
        if (!isOnesOwn && (timesOf(fault, 'held') > 0 || timesOf(fault, 'not reached') >= MOST_WAITS)) continue;
        if (isOnesOwn && BESIDE.test(fault.id) && !ofItsRows(fault) && timesOf(fault, 'held') >= FULLY) continue;
        const once = (waits: boolean) =>
          attempt(world, verb, reference, fault, { waits }).catch(async (error): Promise<Outcome> => {
            if (!world.isGone) await world.points.begin();
            return { kind: 'broken', why: `the test itself: ${error}` };
          });
        const began = Date.now();
        const isOnceAStart = ONCE_A_START.test(fault.id);
        let outcome = await once(!isOnesOwn && !isOnceAStart);
        if (world.isGone) await world.start();
        // What goes on after an answer may rest a moment, as it failed with the fault before.
        if (outcome.kind === 'not reached' && (isOnceAStart || isOnesOwn)) {
          if (isOnceAStart) await world.restart();
          outcome = await once(!isOnceAStart);
          if (world.isGone) await world.start();
        }
        kept.tried[key] = { ...outcome, ms: Date.now() - began };
        keep();
      }
      keep();
      const broken = Object.entries(kept.tried).flatMap(([key, outcome]) =>
        key.startsWith(`${nameOf(verb)}: `) && outcome.kind === 'broken' ? [`${key}: ${outcome.why}`] : [],
      );
      expect(broken).toEqual([]);
    }, 1_800_000);

  it('and the read models, the content and the chains match the log in the end', async () => {
    expect(await world.faultsOfWhole()).toEqual([]);
  }, 120_000);
}
