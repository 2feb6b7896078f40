import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { PageQuery, pageOf, pageWithin } from '../../../http/api/schemas/pagination.js';
import { NO_NUL } from '../../../http/api/schemas/texts.js';
import { siteRelatedHeaders } from '../../../http/api/site-headers.js';
import { Context } from '../../../http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { MOST_SECRETS } from './secret.decide.js';
import { SiteSecrets } from './site-secrets.js';

const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/** Of a value, in bytes of UTF-8 (docs/interface/sites.md, "Secrets"). */
const LARGEST_VALUE = 32_768;
/** Of a body in bytes: JSON may write each byte of a value in six. */
const LARGEST_BODY = 6 * LARGEST_VALUE + 1_024;

/** Its messages quote nothing of the request, where a secret value could be anywhere. */
const SecretBody = z.strictObject(
  {
    value: z
      .string({ error: 'must be a text' })
      .regex(NO_NUL, 'must not have a NUL, which no environment can hold')
      .refine((text) => text.isWellFormed(), 'must be Unicode text, without halves of characters')
      .meta({ description: `${LARGEST_VALUE} bytes of UTF-8 at most. It is never told again.`, writeOnly: true }),
  },
  { error: 'must be an object with one member, “value”' },
);

/** The name in the path, for /openapi.json. */
const NAMED = { name: 'name', schema: { type: 'string' as const, pattern: NAME.source } };

const Secret = z
  .object({
    name: z.string(),
    version: z.number().int().meta({ description: 'Greater each time the secret is set.' }),
    updatedAt: z.string(),
  })
  .meta({ id: 'Secret' });

const Secrets = pageOf(Secret).meta({ id: 'Secrets' });

@ApiTags('Secrets')
@Controller('v1/sites/:slug/secrets')
class SecretsController {
  constructor(@Inject(SiteSecrets) private readonly secrets: SiteSecrets) {}

  @ApiOperation({
    summary: 'The names of a site’s secrets',
    description: 'For its owners and editors, in the order of the names. Values are never told.',
  })
  @ApiResponse({ status: 200, standardSchema: Secrets, description: 'One page of the secrets that have a value.' })
  @Get()
  async listSecrets(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Secrets>> {
    const all = await this.secrets.list(slug, context);
    return pageWithin(all, query);
  }

  @ApiOperation({
    summary: 'Give a secret a value',
    description: `For owners. Every build that starts from now on has it in its environment. In job logs it stands as ••••, by line and if the line has six characters or more. A site may have ${MOST_SECRETS}.`,
  })
  @ApiResponse({ status: 200, standardSchema: Secret, description: 'Kept, encrypted.' })
  @ApiProblems('quota_exceeded')
  @Route({ jsonBytes: LARGEST_BODY })
  @ApiParam(NAMED)
  @Put(':name')
  async setSecret(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body({ schema: SecretBody }) { value }: z.output<typeof SecretBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Secret>> {
    refuseOtherNames(name);
    if (Buffer.byteLength(value) > LARGEST_VALUE)
      refuse('too_large', `A value may have ${LARGEST_VALUE} bytes at most.`, [
        { path: 'value', message: `has more than ${LARGEST_VALUE} bytes` },
      ]);
    const { version, updatedAt, ...outcome } = await this.secrets.set(slug, name, value, context);
    void reply.headers(siteRelatedHeaders(outcome));
    return { name, version, updatedAt };
  }

  @ApiOperation({ summary: 'Delete a secret', description: 'For owners. All its values are removed.' })
  @ApiResponse({ status: 204, description: 'It is gone, now or before.' })
  @ApiParam(NAMED)
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
  const fault = 'must be capitals, digits and underscores, 64 at most, and no digit first';
  refuse('invalid_request', `The name of a secret ${fault}.`, [{ path: 'name', message: fault }]);
}

export const secrets: Feature = { routes: [SecretsController] };
