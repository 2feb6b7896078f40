import type { IncomingMessage } from 'node:http';
import { ApiExtension } from '@nestjs/swagger';
import { z } from 'zod';
import { bodyChunks } from '../../../../content/uploads/bodies/body-chunks.js';
import {
  members,
  readJsonNumber,
  readJsonString,
  refuseField,
} from '../../../../content/uploads/bodies/json/json-members.js';
import { JsonReader } from '../../../../content/uploads/bodies/json/json-reader.js';
import { toFaults, UNKNOWN_MEMBER } from '../../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../../kernel/refusal.js';

/**
 * Maximum size of a body. Enough for 20,000 files, each with a path of at most 1,024 bytes and 113 bytes of JSON for
 * its other members.
 */
const BODY_BYTES = 24 * 1024 * 1024;

const Announced = z.strictObject({
  path: z.string(),
  size: z.number().int().nonnegative().meta({ description: 'Size in bytes.' }),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest of 64 lowercase hexadecimal digits'),
});

/**
 * JSON Schema of the body, used only for /openapi.json. The body is read entry by entry, because 24 MiB of `{}` would
 * become 1 GB of objects.
 */
const PreflightJson = z.strictObject({
  cliVersion: z.string().optional(),
  slug: z.string().optional().meta({ description: 'Slug of the site to redeploy, or of a new site.' }),
  files: z.array(Announced),
});

export type PreflightBody = {
  readonly slug: string | undefined;
  /** Announced files, or null if there are more than a deploy can have. Reading stops at that point. */
  readonly files: readonly z.output<typeof Announced>[] | null;
};

/**
 * Reads the list of files to check. Refuses with `too_large`, with `unsupported_media_type`, or with `invalid_request`
 * and the name of the invalid field.
 */
export async function preflightBody(request: IncomingMessage, most: number): Promise<PreflightBody> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') refuse('unsupported_media_type', 'Set Content-Type to application/json.');

  const json = new JsonReader(bodyChunks(request, BODY_BYTES));
  let slug: string | undefined;
  let files: PreflightBody['files'] | undefined;
  for await (const key of members(json, '')) {
    if (key === 'slug') slug = await readJsonString(json, key);
    else if (key === 'cliVersion') await readJsonString(json, key);
    else if (key === 'files') files = await filesOf(json, most);
    else refuseField(key, UNKNOWN_MEMBER);
    if (files === null) return { slug, files };
  }
  await json.end();
  return { slug, files: files ?? refuseField('files', 'is required and must be an array') };
}

async function filesOf(json: JsonReader, most: number): Promise<PreflightBody['files']> {
  const files: z.output<typeof Announced>[] = [];
  if ((await json.peek()) !== '[') refuseField('files', 'must be an array');
  await json.expect('[');
  if (await json.empty(']')) return files;
  do {
    if (files.length === most) return null;
    files.push(await fileOf(json, `files[${files.length}]`));
  } while (await json.another(']'));
  return files;
}

async function fileOf(json: JsonReader, field: string): Promise<z.output<typeof Announced>> {
  const file: Record<string, unknown> = {};
  for await (const key of members(json, field)) {
    const at = `${field}.${key}`;
    if (key === 'path' || key === 'sha256') file[key] = await readJsonString(json, at);
    else if (key === 'size') file[key] = Number(await readJsonNumber(json, at));
    else refuseField(at, UNKNOWN_MEMBER);
  }
  const result = Announced.safeParse(file);
  if (result.success) return result.data;
  const [fault = { path: '', message: 'is invalid' }] = toFaults(result.error.issues);
  return refuseField(`${field}.${fault.path}`, fault.message);
}

const { $schema: _, ...schema } = z.toJSONSchema(PreflightJson, { io: 'input' });

/**
 * Describes the body for /openapi.json, because the generator can't derive the schema of a body that is read as a
 * stream.
 */
export const DescribePreflightBody = () =>
  ApiExtension('x-request-body', { required: true, content: { 'application/json': { schema } } });
