// needs: database

import { afterAll, beforeAll, it } from '@jest/globals';
import { expectNone } from '../support/jest/expect-none.js';
import { operations } from '../support/operations/operations.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

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

it('every API operation that writes data is covered by fault-injection tests', async () => {
  const { body } = await stele.api.get('/openapi.json').expect(200);
  const described = Object.entries(body.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => /^(post|put|patch|delete)$/.test(method))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const tried = new Set(
    operations
      .filter(({ verbs = [], writesNothing }) => verbs.length > 0 || writesNothing !== undefined)
      .map(({ operation }) => operation),
  );
  expectNone(
    described.filter((operation) => !tried.has(operation)),
    'Add `verbs: [verb({ prepare })]` to the entries of these operations in test/support/operations/',
  );
});
