import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Refusal } from '../../../kernel/refusal.js';
import { validationPipe } from './validation-pipe.js';

describe('What a route accepts', () => {
  const schema = z.strictObject({ deployId: z.string().min(1), tags: z.array(z.number()).default([]) });
  const enter = (body: unknown) => validationPipe.transform(body, { type: 'body', schema });
  const refusal = (body: unknown): Promise<Refusal> =>
    Promise.resolve(enter(body)).then(
      () => Promise.reject(new Error('It was let in.')),
      (error) => error,
    );

  it('is what fits the schema, in the schema’s form', async () =>
    expect(await enter({ deployId: 'dep_1' })).toEqual({ deployId: 'dep_1', tags: [] }));

  it('is nothing with an unknown field, which is named', async () => {
    const { code, detail, faults } = await refusal({ deployId: 'dep_1', depoyId: 'dep_2' });
    expect(code).toBe('invalid_request');
    expect(`${detail} ${JSON.stringify(faults)}`).toContain('depoyId');
  });

  it('is nothing of another type; each field is named', async () => {
    const { code, detail, faults } = await refusal({ deployId: 7, tags: [1, 'two'] });
    expect(code).toBe('invalid_request');
    expect(faults.map(({ path }) => path)).toEqual(['deployId', 'tags[1]']);
    expect(detail).toMatch(/^deployId: .*\.$/);
  });

  it.each([undefined, null, 'text', 7, []])('is not %j', async (body) =>
    expect((await refusal(body)).code).toBe('invalid_request'),
  );
});
