import { ApiExtension } from '@nestjs/swagger';
import { z } from 'zod';
import { faultsOf } from '../../../edge/shape.js';
import { refuse } from '../../../kernel/refusal.js';

const Announced = z.strictObject({
  path: z.string(),
  size: z.number().int().nonnegative().meta({ description: 'Bytes.' }),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in 64 lower-case hexadecimal digits'),
});

const PreflightJson = z.strictObject({
  cliVersion: z.string().max(100).optional(),
  slug: z.string().optional().meta({ description: 'The site to redeploy, or the name of a new one.' }),
  files: z.array(Announced),
});

export type PreflightBody = Omit<z.output<typeof PreflightJson>, 'files'> & {
  /** Null when there are more than a deploy may have; then they were not looked at. */
  readonly files: z.output<typeof Announced>[] | null;
  readonly count: number;
};

/** Reads the body. Refuses with `invalid_request`, naming the fields. */
export function preflightBody(body: unknown, most: number): PreflightBody {
  const { files } = Object(body);
  const count = Array.isArray(files) ? files.length : 0;
  // Counted before the shapes are looked at, so that a long list of nonsense costs little.
  const tooMany = count > most;
  const result = PreflightJson.safeParse(tooMany ? { ...Object(body), files: [] } : body);
  if (result.success) return { ...result.data, files: tooMany ? null : result.data.files, count };

  const faults = faultsOf(result.error.issues);
  return refuse('invalid_request', faults[0] && `${faults[0].path || 'The body'}: ${faults[0].message}.`, faults);
}

const { $schema: _, ...schema } = z.toJSONSchema(PreflightJson, { target: 'openapi-3.0', io: 'input' });

/** For /openapi.json: the body is counted before a schema sees it, so the generator does not. */
export const DescribePreflightBody = () =>
  ApiExtension('x-request-body', { required: true, content: { 'application/json': { schema } } });
