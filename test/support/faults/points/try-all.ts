import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Fault } from './fault-points.js';
import type { Step } from './steps-in-code.js';
import { attempt, difference, type Outcome, type Reference, refer } from './trial.js';
import { type NamedVerb, nameOf } from './verb.js';
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
/** The disk is full from the moment of the fault until the test frees space. */
const FULL: readonly Way[] = [{ what: 'full', when: 'before', always: true }];

const WAYS: Readonly<Record<Step['kind'], readonly Way[]>> = {
  sql: [...DIES, ...CUT, ...FULL],
  file: [...DIES, ...FULL],
  outside: [...DIES, ...CUT],
};

/** Background work reaches its steps repeatedly. Only the first two times of each step are tested. */
const MOST_TIMES = 2;

/** Folder for the results of the trials. A fault that already has a result there is skipped. */
const FOLDER = process.env.STELE_TEST_FAULTS ?? 'coverage/faults';
/** Number of seconds after which the run tests no further faults. The next run continues with the remaining faults. */
const SECONDS = Number(process.env.STELE_TEST_FAULT_SECONDS ?? 36_000);
/** Steps that are reached only once after a start, such as the beginning of a pack. */
const ONCE_A_START = /^src\/(storage\/blobs|adapters\/(identity-provider|network))\//;
/** Steps of background work that the log or a timer triggers. This work runs the same code for every request. */
const BESIDE = /^src\/(projections|modules\/traffic)\//;
/**
 * Number of operations with which each fault in background work is tested. With further operations, a fault is tested
 * only if `ofItsRows` selects it.
 */
const FULLY = 3;
/**
 * Reports whether the fault makes read models lose this operation's rows. No response shows the loss, because the
 * service writes the rows again.
 */
const ofItsRows = ({ id, n, what, when }: Fault) =>
  n === 1 &&
  ((what === 'die' && /read-model-table\.ts insert/.test(id)) ||
    (what === 'cut' && when === 'after' && /projector\.ts commit/.test(id)));
/** Maximum number of trials for a fault in background work whose step is never reached. */
const MOST_WAITS = 3;
const VERBS = new RegExp(process.env.STELE_TEST_VERBS ?? '');
const STEPS = new RegExp(process.env.STELE_TEST_POINTS ?? '');

/**
 * Returns the faults to test for each step that the operation reaches. Skips a kill after a step if another step
 * follows, because a kill before that next step usually has the same effect.
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

type Tried = Record<string, Outcome & { readonly ms: number }>;
export type Kept = { readonly reached: Record<string, readonly string[]>; readonly tried: Tried };

export function keptIn(folder: string): Map<string, Kept> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [name.replace(/\.json$/, ''), JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept]),
  );
}

/** Defines a test for each operation. The test tries all faults of the operation, or those that `chosen` selects. */
export function tryAll(
  name: string,
  verbs: readonly NamedVerb[],
  chosen?: (faults: readonly Fault[]) => readonly Fault[],
): void {
  mkdirSync(FOLDER, { recursive: true });
  const earlier = process.env.STELE_TEST_FAULTS ? keptIn(FOLDER).get(name) : undefined;
  const kept: Kept = earlier ?? { reached: {}, tried: {} };
  const end = Date.now() + SECONDS * 1000;
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  }, 180_000);
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
  // Written atomically, because other tests read the file.
  const keep = () => {
    writeFileSync(join(FOLDER, `${name}.part`), JSON.stringify(kept, null, 1));
    renameSync(join(FOLDER, `${name}.part`), join(FOLDER, `${name}.json`));
  };
  /**
   * Counts the trials in which this fault had this outcome. Includes the results of other tests unless `chosen` is
   * given.
   */
  const timesOf = (fault: Fault, wanted: Outcome['kind']) =>
    [...new Map([...(chosen ? [] : keptIn(FOLDER)), [name, kept]]).values()]
      .flatMap(({ tried }) => Object.entries(tried))
      .filter(([key, { kind }]) => kind === wanted && key.endsWith(`: ${inWords(fault)}`)).length;

  for (const verb of verbs.filter((each) => VERBS.test(nameOf(each))))
    it(`${nameOf(verb)} keeps its promises whichever step fails`, async () => {
      if (Date.now() > end) return;
      const reference = await refer(world, verb);
      const second = await refer(world, verb);
      expect(difference(reference.before, second.before) + difference(reference.after, second.after)).toBe('');
      kept.reached[nameOf(verb)] = [...new Set([...reference.reached, ...second.reached].map(({ id }) => id))].sort();

      const always = new Set(second.reached.map(({ id, n }) => `${id} ${n}`));
      /**
       * Reports whether the operation itself always reaches the step. Any other step belongs to background work, so its
       * faults are also tried with later operations until the step has been reached once.
       */
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
        // Retries once, because background work may have been pausing after an earlier fault.
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

  it('after all faults, the read models, the stored content and the hash chains match the log', async () => {
    expect(await world.faultsOfWhole()).toEqual([]);
  }, 120_000);
}
