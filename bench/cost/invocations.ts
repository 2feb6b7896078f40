// The most expensive bodies that a connector accepts, as `{ what, request }`: up to 15,000 values, and a payload of up to
// 262,144 bytes. In the body, each two-byte character of the payload can take six bytes
// (`src/modules/connector/payload.ts`).
import type { Actor, WorstCase } from './service.ts';
import { manyMembers } from './worst.ts';

const MOST_VALUES = 14_990;
const MOST_BYTES = 262_000;

const payloads: Record<string, string> = {
  'many members': `{${manyMembers(9 * MOST_VALUES)}}`,
  'many members of members': `{${manyMembers(17 * (MOST_VALUES / 3), '{"a":[1]}')}}`,
  'many items': `[${'1,'.repeat(MOST_VALUES - 1)}1]`,
  'many short texts': `[${'"a",'.repeat(MOST_VALUES - 1)}"a"]`,
  'one long text': `"${'\\u0301'.repeat(MOST_BYTES / 2)}"`,
};

export function* worstInvocations(
  { headers, slug, agent, workId }: Actor & { workId: string },
  port: number,
): Generator<WorstCase> {
  const post = (what: string, path: string, by: Record<string, string>, body: string): WorstCase => ({
    what,
    request: {
      method: 'POST',
      path,
      headers: { ...by, 'content-type': 'application/json' },
      body: Buffer.from(body),
    },
  });
  for (const [what, payload] of Object.entries(payloads)) {
    const input = `{"wait":0,"input":${payload}}`;
    yield post(`invocation: ${what}`, `/v1/sites/${slug}/connector/invoke`, headers, input);
    yield post(`invocation by a visitor: ${what}`, '/.stele/invoke', { host: `${slug}.localhost:${port}` }, input);
    const part = `{"partial":true,"output":${payload}}`;
    yield post(`result: ${what}`, `/v1/connector/result/${workId}`, agent, part);
  }
}
