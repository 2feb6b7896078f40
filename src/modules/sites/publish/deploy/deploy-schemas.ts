import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DeployJson } from '../../../../content/uploads/bodies/json/json-body.js';
import type { StoredUpload } from '../../../../content/uploads/store-upload.js';
import { ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import type { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { readStatedClient } from '../../../../edge/http/auth/client-name.js';
import { findInnerCaller } from '../../../../edge/http/inner/inner-caller.js';
import { faultText } from '../../../../kernel/faults/schema-faults.js';
import { type RefusalCode, refuse } from '../../../../kernel/refusal.js';
import { SLUG } from '../../../../kernel/slug.js';
import type { Site } from '../../site/state/site.state.js';
import { validSlug } from '../slugs/slug-name.js';

/** Reports whether a deploy has the same content as the previous live deploy. */
export function isUnchanged({ deploys }: Extract<Site, { status: 'live' }>, deployId: string): boolean {
  const deploy = deploys.find((each) => each.deployId === deployId);
  return deploys.some((each) => each.deployId === deploy?.replaced && each.manifest === deploy.manifest);
}

const Warning = z.object({ file: z.string(), line: z.number().int().optional(), message: z.string() });

export const DeployResult = z
  .object({
    slug: z.string(),
    url: z.string().meta({ description: 'Live URL of the site, on its own host.' }),
    deployId: z.string(),
    editToken: z.string().optional().meta({
      description:
        'Edit token of the site. Only returned by the deploy that creates the site, so store it: it cannot be retrieved later.',
    }),
    files: z.number().int(),
    claimUrl: z.string().optional(),
    expiresAt: z.string().optional(),
    digest: z.string().meta({
      description:
        '`sha256:` followed by the SHA-256 of the manifest: one line `{sha256} {size} {path}\\n` per file, sorted by path in byte order.',
    }),
    bytes: z.number().int(),
    unchanged: z
      .boolean()
      .meta({ description: 'Whether the content is identical to that of the previous live deploy.' }),
    previewUrl: z
      .string()
      .meta({ description: 'URL that always shows this deploy, even when another deploy is live.' }),
    pathUrl: z.string().nullable().meta({
      description:
        'URL of the site on the service’s own host, where it is served in a sandbox, or null if the site is not available there.',
    }),
    createdAt: z.string(),
    warnings: z.array(Warning),
  })
  .meta({ id: 'DeployResult' });

type PublishedUpload = {
  readonly slug: string;
  /**
   * Whether the site is also served at a path of the service's own host. This is the case for public sites without a
   * server.
   */
  readonly hasPath: boolean;
  readonly deployId: string;
  readonly createdAt: string;
  readonly unchanged: boolean;
  readonly content: StoredUpload;
  /** Edit token of a new site. Present only in the response that creates the site. */
  readonly editToken?: string;
  readonly expiresAt?: string;
};

export function deployResult(urls: ServiceUrls, published: PublishedUpload): z.output<typeof DeployResult> {
  const { slug, hasPath, deployId, createdAt, unchanged, content, editToken, expiresAt } = published;
  return {
    slug,
    url: urls.site(slug),
    deployId,
    ...(editToken && { editToken, claimUrl: urls.claim(slug, editToken) }),
    files: content.files,
    ...(expiresAt && { expiresAt }),
    digest: `sha256:${content.manifest}`,
    bytes: content.bytes,
    unchanged,
    previewUrl: urls.preview(deployId),
    pathUrl: hasPath ? urls.sitePath(slug) : null,
    createdAt,
    warnings: [...content.warnings],
  };
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const LONGEST = 30 * SECONDS.d;

/**
 * Parses `expires` to seconds: digits followed by `s` (the default), `m`, `h` or `d`, from 1 s to 30 d
 * (docs/interface/publishing.md, "Expiry").
 */
export function expirySeconds(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(digits) * SECONDS[unit as keyof typeof SECONDS];
  if (digits === '' || seconds < 1 || seconds > LONGEST) {
    const fault = { path: 'expires', message: 'must be digits followed by s, m, h or d, from 1s to 30d' };
    refuse('invalid_expires', faultText(fault), [fault]);
  }
  return seconds;
}

/** Adds `seconds` to the RFC 3339 time `at`. Returns null, which means never, if `seconds` is null. */
export function after(at: string, seconds: number): string;
export function after(at: string, seconds: number | null): string | null;
export function after(at: string, seconds: number | null): string | null {
  return seconds === null ? null : new Date(Date.parse(at) + seconds * 1_000).toISOString();
}

const { $schema: _, ...json } = z.toJSONSchema(DeployJson, { io: 'input' });

const FOLDER =
  'If everything is in a single folder that has an index.html, the folder is removed from all paths, and a warning reports this. With mode=merge, paths are never changed.';

const archive = (description: string) => ({ schema: { type: 'string', format: 'binary', description } });

const REFUSALS_OF_CONTENT = [
  'no_files',
  'invalid_path',
  'blocked_path',
  'invalid_slug',
  'too_many_files',
  'blob_missing',
  'quota_exceeded',
] as const;

/** Describes a deploy for /openapi.json: its body, its result, and its refusals, including `others`. */
export const ApiDeploy = (...others: readonly RefusalCode[]) =>
  applyDecorators(
    ApiDeployBody(),
    ApiResponse({
      status: 200,
      standardSchema: DeployResult,
      description: 'The deploy. If it was published, the next request to the site is served from it.',
    }),
    ApiProblems(...REFUSALS_OF_CONTENT, ...others),
  );

// The generator can't derive the schema of a body that is read as a stream.
const ApiDeployBody = () =>
  ApiExtension('x-request-body', {
    required: true,
    content: {
      // Keep JSON first: generated Java clients send the first content type.
      'application/json': { schema: json },
      'text/html': { schema: { type: 'string', minLength: 1 }, example: '<h1>Hello</h1>' },
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['files'],
          properties: {
            files: {
              type: 'array',
              items: { type: 'string', format: 'binary' },
              description:
                'One part per file. The part’s filename is the file’s path in the site, such as assets/app.js.',
            },
          },
        },
      },
      'application/zip': archive(`A zip archive. ${FOLDER}`),
      'application/gzip': archive(`A tar.gz archive. ${FOLDER}`),
    },
  });

const Slug = z.string().meta({
  description: 'Slug of the site: lowercase letters and digits, with hyphens between them.',
  pattern: SLUG.source,
  example: 'amber-otter-4821',
});

const Publish = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .meta({
    description: '`false` stores a redeploy without making it live. You can make it live later with a rollback.',
  });

const Message = z
  .string()
  .max(200)
  .transform((text) => text.toWellFormed())
  .optional()
  .meta({ description: 'Message to record in the history.' });

const Mode = z.enum(['replace', 'merge']).default('replace').meta({
  description:
    '`replace` replaces all of the site’s files. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file.',
});

const Expires = z.string().optional().meta({
  description:
    'Time after which a new anonymous site expires: digits followed by s, m, h or d, from 1s to 30d. Digits alone are seconds.',
  pattern: '^\\d{1,9}[smhd]?$',
  example: '2h',
});

/** Query parameters of a deploy that may create a site. */
export const DeployPostQuery = z.object({
  slug: Slug.optional(),
  expires: Expires,
  mode: Mode,
  publish: Publish,
  message: Message,
});
export const DeployPatchQuery = z.object({ slug: Slug, mode: Mode, publish: Publish, message: Message });

type AskedDeploy = { readonly mode: string; readonly publish: boolean; readonly message?: string | undefined };

/**
 * Returns the options of a deploy. `request` is null while an upload URL is being created, before the deploy itself is
 * requested.
 */
export const deployOptions = ({ mode, publish, message }: AskedDeploy, request: FastifyRequest | null) => ({
  source: request !== null && findInnerCaller(request.raw) !== null ? ('mcp' as const) : ('upload' as const),
  merge: mode === 'merge',
  publish,
  message: message ?? null,
  client: request && readStatedClient(request),
});

/** Parses the query and headers of a deploy. Refuses with `invalid_slug` or `invalid_expires`. */
export function readDeploy(
  { slug, expires, ...query }: z.output<typeof DeployPostQuery>,
  request: FastifyRequest | null,
  ifRevision: number | null,
) {
  const seconds = expires === undefined ? null : expirySeconds(expires);
  const expiresAt = (at: string) => (seconds === null ? null : after(at, seconds));
  return {
    slug: slug === undefined ? null : validSlug(slug),
    options: { ...deployOptions(query, request), ifRevision, expiresAt },
  };
}
