// needs: database, git
// only: counted

import { beforeAll, describe, expect, it } from '@jest/globals';
import { stepsInCode } from '../../support/faults/points/steps-in-code.js';
import { keptIn } from '../../support/faults/points/try-all.js';
import { notMet, unreached } from '../../support/faults/points/unreached.js';
import { nameOf } from '../../support/faults/points/verb.js';
import { verbs } from '../../support/operations/operations.js';

describe('Coverage of the faults injected by `npm run faults`', () => {
  const ids = stepsInCode().map(({ id }) => id);
  const reached = new Set<string>();
  /** Steps that have survived at least one fault. */
  const held = new Set<string>();
  const broken: string[] = [];
  const begun = new Set<string>();
  const isOf = (list: typeof unreached, id: string) => list.some(({ steps }) => steps.test(id));

  beforeAll(() => {
    const kept = [...keptIn(process.env.STELE_TEST_FAULTS ?? 'coverage/faults').values()];
    for (const each of kept)
      for (const [name, steps] of Object.entries(each.reached)) {
        begun.add(name);
        for (const id of steps) reached.add(id);
      }
    const tried = kept.flatMap((each) => Object.entries(each.tried));
    for (const [key, { kind }] of tried) {
      if (kind === 'broken') broken.push(key);
      const id = /: (?:die|cut|full) (?:before|after) (.*?)(?: for the \dth time)?$/.exec(key)?.[1];
      if (kind === 'held' && id !== undefined) held.add(id);
    }
    const kinds = [...Map.groupBy(tried, ([, { kind }]) => kind)].map(([kind, { length }]) => `${length} ${kind}`);
    process.stdout.write(
      `${ids.length} steps in the code, ${reached.size} reached by ${begun.size} verbs, of ${held.size} a fault has held; ${tried.length} tried: ${kinds.join(', ')}\n`,
    );
  });

  it('each step in the code that writes data is reached by an operation or listed as unreached', () =>
    expect(ids.filter((id) => !reached.has(id) && !isOf(unreached, id))).toEqual([]));

  it('the list of unreached steps contains no step that an operation has reached', () => {
    const never = unreached.filter(({ isSometimes }) => !isSometimes);
    expect(ids.filter((id) => reached.has(id) && isOf(never, id))).toEqual([]);
  });

  it('the service has survived at least one fault at each reached step', () =>
    expect([...reached].filter((id) => !held.has(id) && !isOf(unreached, id) && !isOf(notMet, id)).sort()).toEqual([]));

  it('every operation was tested with faults, and no fault broke the operation’s guarantees', () => {
    expect(verbs.map(nameOf).filter((name) => !begun.has(name))).toEqual([]);
    expect(broken).toEqual([]);
  });
});
