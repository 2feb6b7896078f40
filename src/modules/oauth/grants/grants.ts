import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { In, type Repository } from 'typeorm';
import type { z } from 'zod';
import { OAuthGrants } from '../../../accounts/grants/oauth-grants.js';
import type { Session } from '../../../accounts/people/sessions.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { AGENT_SCOPES } from '../../../kernel/ports/outside/authorization-server.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { GrantList, type GrantShown } from './grant-entry.js';
import { grantsPage } from './grants.page.js';

@ApiTags('You')
@Controller()
class GrantsController {
  readonly #return: ReturnCookie;

  constructor(
    private readonly grants: OAuthGrants,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    private readonly urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  @ApiOperation({ summary: 'List your connected apps, newest first' })
  @ApiResponse({ status: 200, standardSchema: GrantList, description: 'The apps that can act for you.' })
  @ReadYourWrites()
  @Get('v1/me/grants')
  async myGrants(@RequireSession() { userId }: Session): Promise<z.output<typeof GrantList>> {
    return { items: await this.#list(userId) };
  }

  @ApiOperation({ summary: 'Revoke a connected app’s access' })
  @ApiResponse({ status: 204, description: 'Access was revoked. All of the app’s tokens have stopped working.' })
  @Delete('v1/me/grants/:id')
  @HttpCode(204)
  async endGrant(@RequireSession() { userId }: Session, @Param('id') id: string): Promise<void> {
    if (!(await this.grants.end(userId, id))) refuse('not_found', `You have no grant ${quoteId(id)}.`);
  }

  @ApiExcludeEndpoint()
  @Route({ page: true, problemPages: true })
  @ReadYourWrites()
  @Get('programs')
  async grantsPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (!request.session) {
      this.#return.set(reply, '/programs');
      return reply.redirect('/sign-in', 303);
    }
    const items = await this.#list(request.session.userId);
    return sendPage(request, reply, this.urls.baseUrl, grantsPage(items));
  }

  @ApiExcludeEndpoint()
  @Route({ form: true, problemPages: true })
  @Post('programs/:id/end')
  @HttpCode(303)
  async endOnPage(@RequireSession() { userId }: Session, @Param('id') id: string, @Res() reply: FastifyReply) {
    await this.grants.end(userId, id);
    return reply.redirect('/programs', 303);
  }

  async #list(userId: string): Promise<GrantShown[]> {
    const grants = await this.grants.of(userId);
    const chosen = grants.flatMap(({ sites }) => sites?.map(({ siteId }) => siteId) ?? []);
    const rows = await this.sites.findBy({ siteId: In([...new Set(chosen)]) });
    const slugOf = new Map(rows.flatMap(({ siteId, slug, status }) => (status === 'deleted' ? [] : [[siteId, slug]])));
    return grants.map(({ grantId, clientId, clientName, scopes, sites, createdAt, lastUsedAt, expiresAt }) => ({
      id: grantId,
      client: { id: clientId, name: clientName },
      scopes: AGENT_SCOPES.filter((scope) => scopes.includes(scope)),
      sites: sites?.flatMap(({ siteId }) => slugOf.get(siteId) ?? []) ?? null,
      createdAt,
      lastUsedAt,
      expiresAt,
    }));
  }
}

export const grants: Feature = { routes: [GrantsController] };
