import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import type { FuzzedOperation } from '../support/fuzz/described-requests.js';
import { type Actor, FuzzWorld, OPERATOR } from '../support/fuzz/fuzz-world.js';
import { SchemaValues } from '../support/fuzz/schema-values.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** Half of a surrogate pair, which canonical JSON cannot contain, and U+0000, which PostgreSQL cannot store. */
const UNSTORABLE = ['\ud800', 'a\udfffb', '\0'];
const ACTORS: readonly Actor[] = ['none', 'owner', 'operator', 'connector'];
const BODIES_PER_OPERATION = 2;

type JsonOperation = Pick<FuzzedOperation, 'method' | 'path'> & { readonly bodies: readonly unknown[] };

/** Returns copies of a value in which one of its strings or keys is replaced. */
function replacements(value: unknown, by: string): unknown[] {
  if (typeof value === 'string') return [by];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, at) => replacements(item, by).map((one) => value.with(at, one)));
  return Object.entries(value).flatMap(([key, member]) => [
    ...replacements(member, by).map((one) => ({ ...value, [key]: one })),
    { ...value, [key]: undefined, [by]: member },
  ]);
}

describe('Strings that cannot be stored', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('unstorable-strings');
    const env = { STELE_RATE_LIMITS: 'off', STELE_ADMIN_TOKEN: OPERATOR };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('a string that cannot be stored never causes a server error, wherever a JSON body contains it', async () => {
    const world = await FuzzWorld.of(stele);
    const operations = await listJsonOperations(stele);
    expect(operations.length).toBeGreaterThan(30);
    const failed = new Set<string>();
    let refused = 0;
    for (const { method, path, bodies } of operations) {
      await world.mend();
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => world.known.get(name)?.[0] ?? 'x');
      const odd = new Set(bodies.flatMap((body) => UNSTORABLE.flatMap((by) => replacements(body, by))).map(asJson));
      for (const body of odd)
        for (const actor of ACTORS) {
          const { status } = await stele.raw[method.toLowerCase() as 'post'](url)
            .set(world.headers.get(actor) ?? {})
            .type('json')
            .send(body);
          if (status === 400) refused++;
          if (status === 500) failed.add(`${method} ${path}`);
        }
    }
    expect([...failed]).toEqual([]);
    expect(refused).toBeGreaterThan(100);
  }, 600_000);
});

const asJson = (value: unknown) => JSON.stringify(value);

async function listJsonOperations(stele: Stele): Promise<JsonOperation[]> {
  const { body: description } = await stele.api.get('/openapi.json').expect(200);
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const values = new SchemaValues(description.components, ajv);
  return Object.entries<Record<string, FuzzedOperation>>(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      if (schema === undefined) return [];
      const bodies = fc.sample(values.of(schema), { seed: 27, numRuns: BODIES_PER_OPERATION });
      return [{ method: method.toUpperCase(), path, bodies }];
    }),
  );
}
