import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fuzzOperations } from '../support/fuzz/fuzz-operations.js';
import { OPERATOR } from '../support/fuzz/fuzz-world.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** By default a fixed sample runs. `npm run fuzz` sends more requests and prints its seed (`STELE_FUZZ_SEED`). */
const examples = Number(process.env.STELE_FUZZ_EXAMPLES ?? 3);
const seed = Number(process.env.STELE_FUZZ_SEED ?? 27);
const chosen = new RegExp(process.env.STELE_FUZZ_OPERATIONS ?? '');

describe('Random valid and invalid requests generated from the OpenAPI document', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('fuzz');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_RATE_LIMITS: 'off', STELE_ADMIN_TOKEN: OPERATOR },
    });
  });
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('each random request gets a documented response in time, without server errors or other users’ data', async () => {
    const { faults, operations, requests, judge } = await fuzzOperations(stele, examples, seed, chosen);
    if (process.env.STELE_FUZZ_EXAMPLES) {
      const count = (counted: ReadonlyMap<unknown, number>) =>
        [...counted].map(([name, times]) => `${name}: ${times}`).join(', ');
      console.log(
        `Seed ${seed}: ${requests} requests of ${operations} operations, ${judge.events} events of streams. By status ${count(judge.statuses)}. Refused as listed ${count(judge.refusals)}.`,
      );
    }
    expect(faults).toEqual([]);
  }, 3_600_000);
});
