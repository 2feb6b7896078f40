import { Controller, HttpCode, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { stampSite } from '../../../edge/answer.js';
import { By, IfMatch } from '../../../edge/caller.js';
import type { Given } from '../../../kernel/caller.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../wiring/features.js';
import { faultOfSlug } from '../slugs/slug-name.js';
import { CreateSiteHandler } from './create-site.js';
import { DeployBody } from './deploy-body.openapi.js';
import { DeployResult } from './deploy-result.js';
import { Publishing } from './publishing.js';
import { RedeploySiteHandler } from './redeploy-site.js';

const Slug = z
  .string()
  .meta({ description: 'Pattern ^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$', example: 'amber-otter-4821' });

/** Interface parameters whose part is not built yet. Refusing is better than letting a site live that was to expire. */
const NotYet = z
  .string()
  .refine(() => false, 'is not available yet')
  .optional()
  .meta({ description: 'Planned.' });

const PostQuery = z.object({ slug: Slug.optional(), expires: NotYet, publish: NotYet, message: NotYet });
const PatchQuery = z.object({
  slug: Slug,
  mode: z.enum(['replace'], { error: 'takes “replace”; “merge” is not available yet' }).optional(),
  publish: NotYet,
  message: NotYet,
});

@ApiTags('Deploy')
@Controller('v1/deploy')
class DeployController {
  constructor(@Inject(Publishing) private readonly publishing: Publishing) {}

  @ApiOperation({
    summary: 'Put a site online',
    description:
      'No account needed: the answer has the address, and the edit token for later. A slug that is taken is a redeploy if the edit token is that site’s.',
  })
  @DeployBody()
  @ApiResponse({ status: 200, standardSchema: DeployResult, description: 'Live: the next request sees it.' })
  @RouteConfig({ body: 'streamed' })
  @Post()
  @HttpCode(200)
  async deploy(
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: PostQuery }) { slug }: z.output<typeof PostQuery>,
    @By() given: Given,
    @IfMatch() ifRevision: number | null,
  ) {
    const { result, ...written } = await this.publishing.post(
      raw,
      given,
      slug === undefined ? null : valid(slug),
      ifRevision,
    );
    stampSite(reply, written);
    return result;
  }

  @ApiOperation({ summary: 'Replace what a site shows', description: 'The body is the whole site.' })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @DeployBody()
  @ApiResponse({ status: 200, standardSchema: DeployResult, description: 'Live: the next request sees it.' })
  @RouteConfig({ body: 'streamed' })
  @Patch()
  async redeploy(
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: PatchQuery }) { slug }: z.output<typeof PatchQuery>,
    @By() given: Given,
    @IfMatch() ifRevision: number | null,
  ) {
    const { result, ...written } = await this.publishing.patch(raw, given, slug, ifRevision);
    stampSite(reply, written);
    return result;
  }
}

function valid(slug: string): string {
  const fault = faultOfSlug(slug);
  return fault ? refuse('invalid_slug', fault, [{ path: 'slug', message: fault }]) : slug;
}

export const deploy: Feature = {
  routes: [DeployController],
  handlers: [CreateSiteHandler, RedeploySiteHandler],
  providers: [Publishing],
};
