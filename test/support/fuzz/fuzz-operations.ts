import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { OpenApiChecker } from '../service/openapi-checker.js';
import type { Stele } from '../service/stele.js';
import { answerTo } from './answer.js';
import { DescribedRequests, type FuzzedOperation, type FuzzedRequest } from './described-requests.js';
import { FuzzWorld } from './fuzz-world.js';
import { Judge } from './judge.js';
import { SchemaValues } from './schema-values.js';

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<FuzzedOperation, 'path' | 'method'>>>>>;
  readonly components: ConstructorParameters<typeof SchemaValues>[0];
};

/**
 * Operations that can end a caller's session or remove a site. `world.mend()` restores both before each of these
 * requests.
 */
const ENDING = new Set(['eraseMe', 'signOut', 'endSession', 'deleteSite', 'renameSite']);

export type Fuzzed = {
  readonly operations: number;
  readonly requests: number;
  /** Faults by operation, each with the smallest request that shows it. */
  readonly faults: readonly string[];
  readonly judge: Judge;
};

/**
 * Sends `examples` requests of each operation that `asked` matches, as every kind of caller. The same seed gives the
 * same requests.
 */
export async function fuzzOperations(stele: Stele, examples: number, seed: number, asked = /^/): Promise<Fuzzed> {
  const description = (await (await fetch(`${stele.base}/openapi.json`)).json()) as Description;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  const world = await FuzzWorld.of(stele);
  const requests = new DescribedRequests(new SchemaValues(description.components, ajv), world);
  const judge = new Judge(await OpenApiChecker.of(stele.base), world);
  const operations = Object.entries(description.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]): FuzzedOperation => ({ ...operation, method: method.toUpperCase(), path }),
      ),
    )
    .filter(({ operationId }) => asked.test(operationId));
  let sent = 0;
  const faults: string[] = [];
  for (const operation of operations) {
    await world.mend();
    const property = fc.asyncProperty(requests.of(operation), async (request) => {
      if (ENDING.has(operation.operationId)) await world.mend();
      sent++;
      const headers = { ...world.headers.get(request.actor), ...request.headers };
      judge.judge(operation, request, await answerTo({ ...request, headers }, stele.port));
    });
    const told = await fc.check(property, { seed, numRuns: examples });
    if (told.failed)
      faults.push(`${operation.operationId}, ${shown(told.counterexample?.[0])}: ${firstLines(told.errorInstance)}`);
  }
  return { operations: operations.length, requests: sent, faults, judge };
}

const shown = (request: FuzzedRequest | undefined) =>
  request === undefined
    ? 'no request'
    : `as ${request.actor}, ${request.method} ${request.url} ${JSON.stringify(request.headers)} ${request.body.toString().slice(0, 300)}`;

const firstLines = (error: unknown) => String(error).split('\n').slice(0, 4).join('\n');
