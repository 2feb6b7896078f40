import { Controller, HttpCode, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiLinks, deployLinks, siteLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiClientName, ApiETag, ApiIdempotencyKey } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import { Idempotency } from '../../../../edge/http/limits/idempotency.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { ApiUploadToken } from '../pending-upload/upload-headers.js';
import { CreateSiteHandler } from './create-site.js';
import { DeployPublisher } from './deploy-publisher.js';
import { ApiDeploy, DeployPatchQuery, DeployPostQuery, deployOptions, readDeploy } from './deploy-schemas.js';
import { deployFiles, deployHtml, redeploy } from './deploy-tools.js';
import { decideRedeploy } from './publish.decide.js';
import { UploadReceiver } from './upload-receiver.js';

@ApiTags('Deploy')
@Controller('v1/deploy')
class DeployController {
  constructor(
    private readonly publishing: DeployPublisher,
    private readonly idempotency: Idempotency,
  ) {}

  @ApiOperation({
    summary: 'Deploy a site',
    description:
      'No account is required: the response contains the URL of the site, and an edit token for later changes. If `slug` names a site that the caller can edit, that site is redeployed.',
  })
  @ApiUploadToken()
  @ApiDeploy('invalid_expires', 'expires_needs_anonymous', 'slug_taken')
  @Route({ body: 'streamed', rate: rates.anonymousDeploys })
  @ApiIdempotencyKey()
  @ApiClientName()
  @ApiLinks(...siteLinks, ...deployLinks)
  @ApiETag()
  @Post()
  @HttpCode(200)
  deploy(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: DeployPostQuery }) query: z.output<typeof DeployPostQuery>,
    @Context() context: CommandContext,
    @IfMatch(decideRedeploy) ifRevision: number | null,
  ) {
    const { slug, options } = readDeploy(query, request, ifRevision);
    return this.idempotency.run(request, reply, context, {
      returnsEditToken: true,
      makeIds: () => this.publishing.makeIds(context),
      readFingerprint: () => this.publishing.readFingerprint(request, context, options),
      execute: (ids, attempt) => this.publishing.deploy(request, context, slug, options, ids, attempt),
    });
  }

  @ApiOperation({
    summary: 'Redeploy a site',
    description: 'The body contains the whole site or, with mode=merge, only the files that change.',
  })
  @ApiUploadToken()
  @ApiDeploy()
  @Route({ body: 'streamed', rate: rates.redeploys })
  @ApiIdempotencyKey()
  @ApiClientName()
  @ApiLinks(...deployLinks)
  @ApiETag()
  @Patch()
  redeploy(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: DeployPatchQuery }) { slug, ...query }: z.output<typeof DeployPatchQuery>,
    @Context() context: CommandContext,
    @IfMatch(decideRedeploy) ifRevision: number | null,
  ) {
    const options = { ...deployOptions(query, request), ifRevision, expiresAt: () => null };
    return this.idempotency.run(request, reply, context, {
      makeIds: () => this.publishing.makeIds(context),
      readFingerprint: () => this.publishing.readFingerprint(request, context, options, slug),
      execute: (ids) => this.publishing.redeploy(request, context, slug, options, ids),
    });
  }
}

export const deploy: Feature = {
  routes: [DeployController],
  handlers: [CreateSiteHandler],
  providers: [DeployPublisher, UploadReceiver],
  tools: [deployHtml, deployFiles, redeploy],
};
