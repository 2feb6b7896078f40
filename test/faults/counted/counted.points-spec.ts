import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stepsInCode } from '../../support/faults/points/steps-in-code.js';
import { unreached } from '../../support/faults/points/unreached.js';

type Kept = { readonly reached: Record<string, readonly string[]>; readonly tried: Record<string, { kind: string }> };

/** After all that `npm run faults` has tried, by what it has written down. */
describe('Of all durable steps', () => {
  const ids = stepsInCode().map(({ id }) => id);
  const reached = new Set<string>();
  const why = (id: string) => unreached.find(({ steps }) => steps.test(id))?.why ?? null;

  beforeAll(() => {
    const folder = process.env.STELE_TEST_FAULTS ?? 'coverage/faults';
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const kept = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept);
    for (const each of kept) for (const id of Object.values(each.reached).flat()) reached.add(id);
    const tried = kept.flatMap(({ tried: all }) => Object.values(all));
    const kinds = [...Map.groupBy(tried, ({ kind }) => kind)].map(([kind, { length }]) => `${length} ${kind}`);
    const verbs = kept.reduce((sum, each) => sum + Object.keys(each.reached).length, 0);
    process.stdout.write(
      `${ids.length} steps in the code, ${reached.size} reached by ${verbs} verbs; ${tried.length} tried: ${kinds.join(', ')}\n`,
    );
  });

  it('there is none that no verb reaches and that is not said to be broken elsewhere', () =>
    expect(ids.filter((id) => !reached.has(id) && why(id) === null)).toEqual([]));
});
