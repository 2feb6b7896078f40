// needs: database

import { afterAll, beforeAll, it } from '@jest/globals';
import { verbs } from '../support/faults/verbs/verbs.js';
import { expectNone } from '../support/jest/expect-none.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

/** Operations that change nothing: a preflight only checks which content exists, and issues a signed token. */
const CHANGE_NOTHING = ['POST /v1/cli/preflight'];

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
beforeAll(async () => {
  temporary = await temporaryFolder('verbs');
  stele = await sharedStele({ folder: temporary.folder });
}, 60_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

it('every write operation is tested with failing steps', async () => {
  const { body } = await stele.api.get('/openapi.json').expect(200);
  const described = Object.entries(body.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => /^(post|put|patch|delete)$/.test(method))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const tried = new Set([...verbs.map(({ operation }) => operation), ...CHANGE_NOTHING]);
  expectNone(
    described.filter((operation) => !tried.has(operation)),
    'Add an entry `verb({ operation, prepare, ask })` to the list in a file of test/support/faults/verbs/, such as deploying.ts or sites.ts',
  );
});
