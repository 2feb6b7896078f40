import { Controller, HttpCode, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Route } from '../../../http/api/route-options.js';
import { Context, IfMatch } from '../../../http/auth/context.js';
import { Idempotency } from '../../../http/limits/idempotency.js';
import { rates } from '../../../http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { faultOfSlug } from '../slugs/slug-name.js';
import { CreateSiteHandler } from './create-site.js';
import { DeployBody } from './deploy-body.openapi.js';
import { DeployResult } from './deploy-result.js';
import { after, expirySeconds } from './expiry.js';
import { Publishing } from './publishing.js';
import { UploadReceiver } from './upload-receiver.js';

const Slug = z
  .string()
  .meta({ description: 'Pattern ^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$', example: 'amber-otter-4821' });

const Publish = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .meta({ description: 'false stores a redeploy without showing it; a rollback makes it live.' });

const Message = z
  .string()
  .max(200)
  .transform((text) => text.toWellFormed())
  .optional()
  .meta({ description: 'Kept in the history.' });

const Mode = z
  .enum(['replace', 'merge'])
  .default('replace')
  .meta({ description: 'merge puts the files over the live ones; a JSON entry with "delete": true removes one.' });

const Expires = z.string().optional().meta({
  description: 'A new anonymous site destroys itself: digits with s, m, h or d, from 1s to 30d.',
  example: '2h',
});

const PostQuery = z.object({ slug: Slug.optional(), expires: Expires, mode: Mode, publish: Publish, message: Message });
const PatchQuery = z.object({ slug: Slug, mode: Mode, publish: Publish, message: Message });

@ApiTags('Deploy')
@Controller('v1/deploy')
class DeployController {
  constructor(
    @Inject(Publishing) private readonly publishing: Publishing,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
  ) {}

  @ApiOperation({
    summary: 'Put a site online',
    description:
      'No account needed: the answer has the address, and the edit token for later. A slug that is taken is a redeploy if the edit token is that site’s.',
  })
  @DeployBody()
  @ApiResponse({ status: 200, standardSchema: DeployResult, description: 'Live: the next request sees it.' })
  @Route({ body: 'streamed', rate: rates.anonymousDeploys })
  @Post()
  @HttpCode(200)
  deploy(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: PostQuery }) { slug, expires, ...query }: z.output<typeof PostQuery>,
    @Context() context: CommandContext,
    @IfMatch() ifRevision: number | null,
  ) {
    const seconds = expires === undefined ? null : expirySeconds(expires);
    const expiresAt = (at: string) => (seconds === null ? null : after(at, seconds));
    const name = slug === undefined ? null : valid(slug);
    const write = this.publishing.post(request, context, name, { ...optionsOf(query), ifRevision, expiresAt });
    return this.idempotency.run(request, reply, context, write);
  }

  @ApiOperation({
    summary: 'Replace what a site shows',
    description: 'The body is the whole site, or with mode=merge what changes in it.',
  })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @DeployBody()
  @ApiResponse({ status: 200, standardSchema: DeployResult, description: 'Live: the next request sees it.' })
  @Route({ body: 'streamed', rate: rates.redeploys })
  @Patch()
  redeploy(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: PatchQuery }) { slug, ...query }: z.output<typeof PatchQuery>,
    @Context() context: CommandContext,
    @IfMatch() ifRevision: number | null,
  ) {
    const write = this.publishing.patch(request, context, slug, {
      ...optionsOf(query),
      ifRevision,
      expiresAt: () => null,
    });
    return this.idempotency.run(request, reply, context, write);
  }
}

const optionsOf = ({ mode, publish, message }: { mode: string; publish: boolean; message?: string | undefined }) => ({
  merge: mode === 'merge',
  publish,
  message: message ?? null,
});

function valid(slug: string): string {
  const fault = faultOfSlug(slug);
  return fault ? refuse('invalid_slug', fault, [{ path: 'slug', message: fault }]) : slug;
}

export const deploy: Feature = {
  routes: [DeployController],
  handlers: [CreateSiteHandler],
  providers: [Publishing, UploadReceiver],
};
