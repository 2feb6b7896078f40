import { ApiExtension } from '@nestjs/swagger';
import { z } from 'zod';

export const MAX_WAIT_SECONDS = 30;
const DEFAULT_WAIT_SECONDS = 25;

export const InvocationBody = z.strictObject({
  input: z
    .unknown()
    .refine((value) => value !== undefined, 'is required')
    .meta({ description: 'Input for the agent: any JSON value of up to 256 KiB.' }),
  wait: z.number().min(0).max(MAX_WAIT_SECONDS).default(DEFAULT_WAIT_SECONDS).meta({
    description:
      'Seconds to wait for the result. If no result arrives in this time, the response is 202, and you can fetch the result later by the invocation’s ID.',
  }),
  priority: z.int().min(-10).max(10).default(0).meta({
    description:
      'Invocations with a higher priority are assigned first. Invocations with the same priority are assigned in order of arrival.',
  }),
});
export type InvocationBody = z.output<typeof InvocationBody>;

const { $schema: _, ...json } = z.toJSONSchema(InvocationBody, { io: 'input' });

/**
 * Describes the request body for /openapi.json. The handler reads the body itself, after checks that do not need it.
 */
export const DescribedBody = () =>
  ApiExtension('x-request-body', {
    required: true,
    content: { 'application/json': { schema: { ...json, required: ['input'] } } },
  });
