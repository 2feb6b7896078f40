import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Refusal } from '../../../kernel/refusal.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { listed } from './listed-tool.js';
import { type Arguments, toolRequest } from './tool-request.js';

const tool = mcpTool({
  name: 'paint',
  title: 'Paint',
  description: 'Paints.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: true,
  route: {
    method: 'POST',
    path: '/v1/walls/:slug/paint',
    query: z.object({ publish: z.enum(['true', 'false']).default('true'), page: z.coerce.number().default(1) }),
    body: z.strictObject({ colour: z.string(), tint: z.strictObject({ r: z.int() }).meta({ id: 'Tint' }).optional() }),
    takes: ['editToken', 'ifRevision', 'idempotencyKey'],
  },
  answer: z.object({ done: z.boolean() }).meta({ id: 'Painted' }),
  say: ({ done }) => (done ? 'Painted.' : 'Not painted.'),
});

const NOTHING = new Map();
const faults = (given: Arguments) =>
  toolRequest(tool, given, NOTHING).then(
    () => [],
    (error: Refusal) => error.faults.map(({ path }) => path),
  );

describe('The arguments of a tool', () => {
  it('a tool’s arguments become the path, query, headers and body that the route expects', async () => {
    const given = {
      slug: 'a b/$&',
      publish: false,
      colour: 'red',
      editToken: 'token',
      ifRevision: 7,
      idempotencyKey: 'once-only',
    };
    const { body, ...request } = await toolRequest(tool, given, NOTHING);
    expect(request).toEqual({
      method: 'POST',
      path: '/v1/walls/a%20b%2F%24%26/paint?publish=false',
      headers: {
        'content-type': 'application/json',
        'x-svc-edit-token': 'token',
        'if-match': '"7"',
        'idempotency-key': 'once-only',
      },
    });
    expect(body?.size).toBe(16);
    expect(await text(body!.open())).toBe('{"colour":"red"}');
  });

  it.each([
    [{}, ['slug']],
    [{ slug: '..' }, ['slug']],
    [{ slug: '' }, ['slug']],
    [{ slug: 'a'.repeat(8_193) }, ['slug']],
    [{ slug: 'a', color: 'red', __proto__: null }, ['color']],
    [{ slug: 'a', editToken: 'a\r\nb: c' }, ['editToken']],
    [{ slug: 'a', ifRevision: -1 }, ['ifRevision']],
    [{ slug: 'a', publish: [] }, ['publish']],
  ])('invalid arguments are refused by name: %j', async (given, paths) => expect(await faults(given)).toEqual(paths));

  it('unknown arguments are reported, up to twenty of them', async () => {
    const given = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, 1]));
    expect(await faults(given)).toEqual(Array.from({ length: 20 }, (_, n) => `k${n}`));
  });

  it('an argument can have a different name from its body field', async () => {
    const rename = {
      ...tool,
      route: { ...tool.route, body: z.strictObject({ slug: z.string() }), renamed: { slug: 'newSlug' } },
    };
    const { path, body } = await toolRequest(rename, { slug: 'old', newSlug: 'new' }, NOTHING);
    expect(path).toBe('/v1/walls/old/paint');
    expect(await text(body!.open())).toBe('{"slug":"new"}');
    expect(listed(rename).inputSchema.required).toEqual(['slug', 'newSlug']);
  });

  it.each([
    [{}, { html: 'is required unless `files` is sent' }],
    [{ html: '<p>', files: [] }, { files: 'must not be sent together with `html`' }],
  ])('missing or duplicate content is refused with the argument’s name: %j', async (given, expected) => {
    const body = z.strictObject({ html: z.string().optional(), files: z.array(z.string()).optional() });
    const deploy = { ...tool, route: { ...tool.route, body, content: true as const } };
    const refused = await toolRequest(deploy, { slug: 'a', ...given }, NOTHING).catch((error: Refusal) => error);
    expect(refused).toMatchObject({
      code: 'invalid_request',
      faults: Object.entries(expected).map(([path, message]) => ({ path, message })),
    });
  });

  it('a listed tool has an input schema and no output schema', () => {
    const listing = listed(tool);
    const { inputSchema, annotations } = listing;
    expect(listing).not.toHaveProperty('outputSchema');
    expect(inputSchema).toMatchObject({
      properties: {
        slug: { type: 'string' },
        publish: { type: 'boolean', default: true },
        page: { type: 'number', default: 1 },
        colour: { type: 'string' },
        tint: { $ref: '#/$defs/Tint' },
        ifRevision: { type: 'integer' },
      },
      required: ['slug', 'colour'],
      additionalProperties: false,
      $defs: { Tint: { type: 'object' } },
    });
    expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  });
});
