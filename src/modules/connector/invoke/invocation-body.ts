import { ApiExtension } from '@nestjs/swagger';
import { z } from 'zod';

/** How long a caller may wait, in seconds. */
export const LONGEST_WAIT = 30;
const USUAL_WAIT = 25;

export const InvocationBody = z.strictObject({
  input: z
    .unknown()
    .refine((value) => value !== undefined, 'is needed')
    .meta({ description: 'What the agent is given: any JSON, up to 256 KiB.' }),
  wait: z
    .number()
    .min(0)
    .max(LONGEST_WAIT)
    .default(USUAL_WAIT)
    .meta({ description: 'Seconds to wait for the answer; after them it is 202, and can be asked for by its id.' }),
  priority: z
    .int()
    .min(-10)
    .max(10)
    .default(0)
    .meta({ description: 'Greater goes first. Of equals, what came first.' }),
});
export type InvocationBody = z.output<typeof InvocationBody>;

const { $schema: _, ...json } = z.toJSONSchema(InvocationBody, { io: 'input' });

/** Read by the handler itself, after the checks that need no body; so the description takes it from here. */
export const DescribedBody = () =>
  ApiExtension('x-request-body', {
    required: true,
    content: { 'application/json': { schema: { ...json, required: ['input'] } } },
  });
