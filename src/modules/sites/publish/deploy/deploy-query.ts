import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { innerCallerOf } from '../../../../edge/http/inner/inner-caller.js';
import { SLUG } from '../../../../kernel/slug.js';

const Slug = z.string().meta({
  description: 'Slug of the site: lowercase letters and digits, with hyphens between them.',
  pattern: SLUG.source,
  example: 'amber-otter-4821',
});

const Publish = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .meta({ description: '`false` stores a redeploy without making it live. A rollback can make it live later.' });

const Message = z
  .string()
  .max(200)
  .transform((text) => text.toWellFormed())
  .optional()
  .meta({ description: 'Message to record in the history.' });

const Mode = z.enum(['replace', 'merge']).default('replace').meta({
  description:
    '`replace` replaces all files of the site. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file.',
});

const Expires = z.string().optional().meta({
  description:
    'Time after which a new anonymous site expires: digits followed by s, m, h or d, from 1s to 30d. Digits alone are seconds.',
  pattern: '^\\d{1,9}[smhd]?$',
  example: '2h',
});

/** Query of a deploy that may create a site. */
export const DeployPostQuery = z.object({
  slug: Slug.optional(),
  expires: Expires,
  mode: Mode,
  publish: Publish,
  message: Message,
});
/** Query of a redeploy. */
export const DeployPatchQuery = z.object({ slug: Slug, mode: Mode, publish: Publish, message: Message });

type AskedDeploy = { readonly mode: string; readonly publish: boolean; readonly message?: string | undefined };

/** Converts a query to the options of a deploy. Requests of MCP tools come from inside the process. */
export const deployOptions = ({ mode, publish, message }: AskedDeploy, request: FastifyRequest | null) => ({
  source: request !== null && innerCallerOf(request.raw) !== null ? ('mcp' as const) : ('upload' as const),
  merge: mode === 'merge',
  publish,
  message: message ?? null,
});
