import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, takePage } from '../../../../edge/http/api/schemas/pagination.js';
import { NO_NUL } from '../../../../edge/http/api/schemas/texts.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { formatBytes, plural } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { MAX_SECRETS } from './secret.decide.js';
import { SiteSecrets } from './site-secrets.js';

const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/** Maximum length of a value in UTF-8 (docs/interface/sites.md, "Secrets"). */
const MAX_VALUE_BYTES = 32_768;
/** Maximum size of a body. JSON may need six bytes for each byte of a value. */
const MAX_BODY_BYTES = 6 * MAX_VALUE_BYTES + 1_024;

/** Error messages never quote the request, because any part of it might be a secret. */
const SecretBody = z.strictObject(
  {
    value: z
      .string()
      .regex(NO_NUL, 'must not contain NUL characters, which environment variables cannot contain')
      .refine((text) => text.isWellFormed(), 'must be valid Unicode, without unpaired surrogates')
      .meta({
        description: `Value of up to ${formatBytes(MAX_VALUE_BYTES)} of UTF-8. It is never returned.`,
        writeOnly: true,
      }),
  },
  { error: 'must be an object whose only field is `value`' },
);

/** Description of the path parameter `name` for /openapi.json. */
const NAMED = { name: 'name', schema: { type: 'string' as const, pattern: NAME.source } };

const Secret = z
  .object({
    name: z.string(),
    version: z.number().int().meta({ description: 'Increases each time the secret is set.' }),
    updatedAt: z.string(),
  })
  .meta({ id: 'Secret' });

const Secrets = buildPageSchema(Secret).meta({ id: 'Secrets' });

@ApiTags('Secrets')
@Controller('v1/sites/:slug/secrets')
class SecretsController {
  constructor(private readonly secrets: SiteSecrets) {}

  @ApiOperation({
    summary: 'List a site’s secrets',
    description: 'For owners and editors. Sorted by name. Values are never returned.',
  })
  @ApiResponse({ status: 200, standardSchema: Secrets, description: 'One page of secrets that have a value.' })
  @Get()
  async listSecrets(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Secrets>> {
    const all = await this.secrets.list(slug, context);
    return takePage(all, query);
  }

  @ApiOperation({
    summary: 'Set a secret',
    description: `Owners only, and not with an access token. Trusted builds that start after this request, and servers from such builds, receive the secret in their environment. Trusted builds are those that an owner starts while signed in, and those of the linked repository. In job logs, each line of the value that has at least six characters is replaced by ••••. A site can have up to ${MAX_SECRETS} secrets.`,
  })
  @ApiResponse({ status: 200, standardSchema: Secret, description: 'The secret. Its value is stored encrypted.' })
  @ApiProblems('quota_exceeded')
  @Route({ jsonBytes: MAX_BODY_BYTES })
  @ApiParam(NAMED)
  @ApiLinks(...linksOnSameSite({ name: fromResponse('name') }, 'deleteSecret'))
  @ApiAccess('session')
  @Put(':name')
  async setSecret(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body({ schema: SecretBody }) { value }: z.output<typeof SecretBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Secret>> {
    refuseOtherNames(name);
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
      refuse('too_large', `The value is larger than ${formatBytes(MAX_VALUE_BYTES)}.`, [
        { path: 'value', message: `must not be larger than ${formatBytes(MAX_VALUE_BYTES)}` },
      ]);
    const { version, updatedAt, ...outcome } = await this.secrets.set(slug, name, value, context);
    void reply.headers(siteRelatedHeaders(outcome));
    return { name, version, updatedAt };
  }

  @ApiOperation({
    summary: 'Delete a secret',
    description: 'Owners only, and not with an access token. All stored values are removed.',
  })
  @ApiResponse({ status: 204, description: 'The secret has been deleted, or had already been deleted.' })
  @ApiParam(NAMED)
  @ApiAccess('session')
  @Delete(':name')
  @HttpCode(204)
  async deleteSecret(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    refuseOtherNames(name);
    void reply.headers(siteRelatedHeaders(await this.secrets.delete(slug, name, context)));
  }
}

function refuseOtherNames(name: string) {
  if (NAME.test(name)) return;
  refuseInvalid({
    path: 'name',
    message: 'must have 1 to 64 uppercase letters, digits and underscores, and must not start with a digit',
  });
}

const tool = mcpTool({
  name: 'list_secrets',
  title: 'List the names of a site’s secrets',
  description:
    'Lists the names of the secrets that builds and servers of the site receive. Values are never returned, and no tool can set them. Owners and editors, or with `editToken`.',
  scope: 'publish',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  route: { method: 'GET', path: '/v1/sites/:slug/secrets', query: PageQuery, takes: ['editToken'] },
  answer: Secrets,
  say: ({ items, total }) =>
    total === 0
      ? 'The site has no secrets.'
      : `${plural(total, 'secret')}: ${items.map(({ name }) => name).join(', ')}.`,
});

export const secrets: Feature = { routes: [SecretsController], tools: [tool] };
