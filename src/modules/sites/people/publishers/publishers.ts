import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { PublisherStore } from '../../../../accounts/tokens/publishers.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, takePage } from '../../../../edge/http/api/schemas/pagination.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { Ids } from '../../../../kernel/ids.js';
import { TokenIssuers } from '../../../../kernel/ports/outside/token-issuers.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { assertCanDelegate } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { EndingCredentials } from '../tokens/ending-credentials.js';
import { decideDistrust, decideTrust, MAX_PUBLISHERS } from './publisher.decide.js';
import { findProject, PublisherBody } from './publisher-claims.js';

const Publisher = z
  .object({
    id: z.string(),
    issuer: z.string(),
    claims: z.record(z.string(), z.string()).meta({
      description:
        'The configured claims, and the numeric IDs of the repository or project that first used the publisher. Later jobs must have the same IDs.',
    }),
    createdAt: z.string(),
    lastUsedAt: z.string().optional().meta({ description: 'Omitted if the publisher has never been used.' }),
  })
  .meta({ id: 'Publisher' });

const PublisherList = buildPageSchema(Publisher).meta({ id: 'Publishers' });

export class TrustPublisher extends SiteCommand(decideTrust) {}
export class DistrustPublisher extends SiteCommand(decideDistrust) {}

@ApiTags('Tokens')
@Controller('v1/sites/:slug/publishers')
class PublishersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly publishers: PublisherStore,
    private readonly issuers: TokenIssuers,
    private readonly credentials: EndingCredentials,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Add a trusted publisher',
    description: `Only for signed-in owners. Lets a repository’s or project’s CI jobs publish the site: a job exchanges the ID token from its issuer at POST /v1/auth/exchange for an access token that expires after fifteen minutes, so no secret is stored anywhere. Claims are compared exactly. A site can have up to ${MAX_PUBLISHERS} trusted publishers.`,
  })
  @ApiResponse({
    status: 201,
    standardSchema: Publisher,
    description: 'The trusted publisher. It takes effect immediately.',
  })
  @Route({ rate: rates.tokens })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('id') }, 'removePublisher'))
  @ApiAccess('session')
  @Post()
  @HttpCode(201)
  async trustPublisher(
    @Param('slug') slug: string,
    @Body({ schema: PublisherBody }) { issuer, claims }: z.output<typeof PublisherBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Publisher>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const { member } = assertCanDelegate(state, context);
    await this.issuers.admit(issuer);
    const publisherId = this.ids.make('pub');
    decideTrust(state, { context, publisherId });
    // The publisher is stored before the event is recorded. If the process crashes in between, no site trusts the
    // publisher.
    await this.publishers.keep({
      publisherId,
      userId: context.caller.userId ?? refuse('unauthenticated', 'Sign in first.'),
      siteId,
      memberId: member.memberId,
      issuer,
      project: findProject(claims) ?? '',
      claims,
      createdAt: context.at,
    });
    const outcome = await this.commands.execute(new TrustPublisher({ context, siteId, publisherId }));
    void reply.headers(siteRelatedHeaders(outcome));
    return { id: publisherId, issuer, claims, createdAt: context.at };
  }

  @ApiOperation({
    summary: 'List a site’s trusted publishers',
    description: 'Only for signed-in owners. Newest first.',
  })
  @ApiResponse({ status: 200, standardSchema: PublisherList, description: 'One page of trusted publishers.' })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'removePublisher'))
  @ApiAccess('session')
  @Get()
  async listPublishers(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof PublisherList>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const known = new Set(assertCanDelegate(state, context).publishers.map(({ publisherId }) => publisherId));
    const all = (await this.publishers.ofSite(siteId)).filter(({ publisherId }) => known.has(publisherId));
    const items = all.map(({ publisherId, issuer, claims, createdAt, lastUsedAt }) => ({
      id: publisherId,
      issuer,
      claims,
      createdAt,
      ...(lastUsedAt !== null && { lastUsedAt }),
    }));
    return takePage(items, query);
  }

  @ApiOperation({ summary: 'Remove a trusted publisher', description: 'Only for signed-in owners.' })
  @ApiResponse({
    status: 204,
    description:
      'Jobs can no longer get access tokens through this publisher, and the tokens they already have no longer work.',
  })
  @ApiAccess('session')
  @Delete(':id')
  @HttpCode(204)
  async removePublisher(
    @Param('slug') slug: string,
    @Param('id') publisherId: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    // The publisher is removed before the event is recorded. Otherwise, it could still be used after it was reported as
    // removed.
    await this.credentials.after(decideDistrust(state, { context, publisherId }));
    const outcome = await this.commands.execute(new DistrustPublisher({ context, siteId, publisherId }));
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

export const publishers: Feature = { routes: [PublishersController] };
