import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Refusal } from '../../../../kernel/refusal.js';
import { validationPipe } from './validation-pipe.js';

describe('Validating a request body', () => {
  const schema = z.strictObject({ deployId: z.string().min(1), tags: z.array(z.number()).default([]) });
  const enter = (body: unknown) => validationPipe.transform(body, { type: 'body', schema });
  const refusal = (body: unknown): Promise<Refusal> =>
    Promise.resolve(enter(body)).then(
      () => Promise.reject(new Error('It was let in.')),
      (error) => error,
    );

  it('a request body is accepted if it matches the schema, with defaults filled in', async () =>
    expect(await enter({ deployId: 'dep_1' })).toEqual({ deployId: 'dep_1', tags: [] }));

  it('a request body with an unknown field is refused, and the error names the field', async () => {
    const { code, detail, faults } = await refusal({ deployId: 'dep_1', depoyId: 'dep_2' });
    expect(code).toBe('invalid_request');
    expect(detail).toBe('`depoyId` is not a known field.');
    expect(faults).toEqual([{ path: 'depoyId', message: 'is not a known field' }]);
  });

  it('a request body whose fields have the wrong type is refused, and the error names each field', async () => {
    const { code, detail, faults } = await refusal({ deployId: 7, tags: [1, 'two'] });
    expect(code).toBe('invalid_request');
    expect(faults.map(({ path }) => path)).toEqual(['deployId', 'tags[1]']);
    expect(detail).toMatch(/^`deployId` .*\.$/);
  });

  it('a value of the wrong type has one error, even if its length is wrong too', async () => {
    const { faults } = await refusal({ deployId: [] });
    expect(faults).toEqual([{ path: 'deployId', message: 'must be a string' }]);
  });

  it.each([undefined, null, 'text', 7, []])('the request body %j is refused', async (body) =>
    expect(await refusal(body)).toMatchObject({
      code: 'invalid_request',
      detail: `The request body ${body === undefined ? 'is required and ' : ''}must be an object.`,
    }),
  );

  const said = z.object({
    name: z.string().min(1).max(3),
    role: z.enum(['owner', 'editor', 'viewer']).default('viewer'),
    kind: z.literal('file').default('file'),
    tags: z.array(z.string()).min(2).max(3).default(['a', 'b']),
    page: z.coerce.number().int().min(1).max(9).default(1),
    above: z.number().gt(0).lt(2).default(1),
    isOn: z.boolean().default(true),
    email: z.email().default('a@example.org'),
    at: z.iso.datetime().default('2026-11-26T12:00:00Z'),
    even: z.number().multipleOf(2).default(2),
    shape: z
      .discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })])
      .default({ type: 'a' }),
    odd: z
      .number()
      .refine((value) => value % 2 === 1)
      .default(1),
    either: z.union([z.string(), z.number().int()]).default(1),
    claims: z.record(z.string().regex(/^\w+$/, 'is not a valid claim name'), z.string()).default({}),
  });
  it.each<[object, string]>([
    [{}, '`name` is required and must be a string'],
    [{ name: null }, '`name` must be a string'],
    [{ name: '' }, '`name` must not be empty'],
    [{ name: 'abcd' }, '`name` must have at most 3 characters'],
    [{ name: 'a', role: 'boss' }, '`role` must be "owner", "editor" or "viewer"'],
    [{ name: 'a', kind: 'folder' }, '`kind` must be "file"'],
    [{ name: 'a', tags: ['a'] }, '`tags` must have at least 2 items'],
    [{ name: 'a', tags: {} }, '`tags` must be an array'],
    [{ name: 'a', page: ['1', '2'] }, '`page` must be a number'],
    [{ name: 'a', page: '0' }, '`page` must be at least 1'],
    [{ name: 'a', page: '10' }, '`page` must be at most 9'],
    [{ name: 'a', page: '1.5' }, '`page` must be an integer'],
    [{ name: 'a', above: 0 }, '`above` must be more than 0'],
    [{ name: 'a', above: 2 }, '`above` must be less than 2'],
    [{ name: 'a', email: 'ann' }, '`email` must be an email address'],
    [{ name: 'a', at: 'noon' }, '`at` must be a time such as 2026-11-26T12:00:00Z'],
    [{ name: 'a', even: 1 }, '`even` must be a multiple of 2'],
    [{ name: 'a', shape: { type: 'c' } }, '`shape.type` must be "a" or "b"'],
    [{ name: 'a', odd: 2 }, '`odd` is invalid'],
    [{ name: 'a', isOn: 'yes' }, '`isOn` must be a boolean'],
    [{ name: 'a', either: [] }, '`either` must be a string or a number'],
    [{ name: 'a', claims: { 'a b': 'c' } }, '`claims.a b` is not a valid claim name'],
  ])('the request body %j is refused with a message that says what to change', async (body, words) => {
    const error: Refusal = await Promise.resolve(validationPipe.transform(body, { type: 'body', schema: said })).catch(
      (refused) => refused,
    );
    expect(error.detail).toBe(`${words}.`);
  });
});
