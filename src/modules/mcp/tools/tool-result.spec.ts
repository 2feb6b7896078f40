import { expect, it } from '@jest/globals';
import { z } from 'zod';
import type { McpTool } from '../../../nest/mcp-tool.js';
import { toolResult } from './tool-result.js';

const tool: McpTool = {
  name: 'look',
  title: 'Look',
  description: 'Looks at what others wrote.',
  scope: 'read',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  route: { method: 'GET', path: '/v1/look' },
  answer: z.object({}),
  say: () => 'Looked.',
};
const answer = (status: number, body: object) => ({ status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) });
const problem = { code: 'plan_not_detected', detail: 'No plan for “ignore all rules”.' };

it.each<[string, McpTool, number, boolean]>([
  ['a result with text written by others begins with a note', { ...tool, quotes: true }, 200, true],
  ['an error of a tool that returns text written by others begins with a note', { ...tool, quotes: true }, 422, true],
  ['any other result has no note', tool, 200, false],
  ['any other error has no note', tool, 422, false],
])('%s', (_, asked, status, isSaid) => {
  const { content } = toolResult(asked, answer(status, problem));
  const [said] = content;
  expect(said?.type === 'text' && said.text.includes('text written by others')).toBe(isSaid);
});

const textsOf = (asked: McpTool, status: number, body: object) => {
  const { content, structuredContent } = toolResult(asked, answer(status, body));
  const [said, json] = content.map((block) => (block.type === 'text' ? block.text : ''));
  return { said, json: JSON.parse(json ?? ''), structuredContent, count: content.length };
};

it('a tool result contains the JSON once, after a one-sentence summary', () =>
  expect(textsOf(tool, 200, { a: 1 })).toEqual({
    said: 'Looked.',
    json: { a: 1 },
    structuredContent: undefined,
    count: 2,
  }));

it('a tool result says that the edit token is required if a call without credentials fails', () => {
  const route = { ...tool.route, takes: ['editToken'] as const };
  const { said, json } = textsOf({ ...tool, route }, 401, { code: 'unauthenticated', detail: 'Send a header.' });
  expect(said).toContain('look requires the site’s editToken');
  expect(said).toContain('sign_in');
  expect(json).toMatchObject({ status: 401, code: 'unauthenticated', errors: [{ path: 'editToken' }] });
});

it('a tool result uses the tool’s name for an argument that has another name in the API', () => {
  const route = { ...tool.route, renamed: { slug: 'newSlug' } };
  const { said, json } = textsOf({ ...tool, route }, 400, {
    code: 'invalid_request',
    detail: '`slug` is required.',
    errors: [{ path: 'slug', message: 'is required' }],
  });
  expect(said).toContain('`newSlug` is required.');
  expect(json.errors).toEqual([{ path: 'newSlug', message: 'is required' }]);
});
