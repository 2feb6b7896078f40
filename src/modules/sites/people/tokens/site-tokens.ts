import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, takePage } from '../../../../edge/http/api/schemas/pagination.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { hashSecret, makeSecret } from '../../../../edge/http/auth/secrets.js';
import {
  NewToken,
  parseExpiry,
  Token,
  TokenExpiry,
  TokenName,
  toTokenResponse,
} from '../../../../edge/http/auth/token-response.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { Ids } from '../../../../kernel/ids.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { assertCanDelegate } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { EndingCredentials } from './ending-credentials.js';
import { decideIssueSiteToken, decideRevokeSiteToken, MAX_SITE_TOKENS } from './token.decide.js';

const Making = z.strictObject({ name: TokenName, role: z.enum(['editor', 'viewer']), expiresAt: TokenExpiry });

const Tokens = buildPageSchema(Token).meta({ id: 'AccessTokens' });

export class IssueSiteToken extends SiteCommand(decideIssueSiteToken) {}
export class RevokeSiteToken extends SiteCommand(decideRevokeSiteToken) {}

@ApiTags('Tokens')
@Controller('v1/sites/:slug/tokens')
class SiteTokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly tokens: AccessTokenStore,
    private readonly credentials: EndingCredentials,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Create an access token for a site',
    description: `Only for signed-in owners. The token can do what its role allows on this site only, and never more than the user who created it. A site can have up to ${MAX_SITE_TOKENS} access tokens. Create one for each script.`,
  })
  @ApiResponse({ status: 201, standardSchema: NewToken, description: 'The new access token, valid immediately.' })
  @Route({ rate: rates.tokens })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('id') }, 'endSiteToken'))
  @ApiAccess('session')
  @Post()
  @HttpCode(201)
  async makeSiteToken(
    @Param('slug') slug: string,
    @Body({ schema: Making }) { name, role, expiresAt: asked }: z.output<typeof Making>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof NewToken>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const { member } = assertCanDelegate(state, context);
    const expiresAt = parseExpiry(asked, context.at);
    const tokenId = this.ids.make('tok');
    const token = makeSecret('pat');
    decideIssueSiteToken(state, { context, tokenId, role, expiresAt });
    // The token is stored before the event is recorded. If the process crashes in between, nobody knows the token's
    // secret.
    await this.tokens.keep({
      tokenId,
      tokenHash: hashSecret(token),
      userId: context.caller.userId ?? refuse('unauthenticated', 'Sign in first.'),
      name,
      role,
      site: { siteId, memberId: member.memberId },
      publisherId: null,
      createdAt: context.at,
      expiresAt,
    });
    const outcome = await this.commands.execute(new IssueSiteToken({ context, siteId, tokenId, role, expiresAt }));
    void reply.headers(siteRelatedHeaders(outcome));
    return { id: tokenId, name, role, createdAt: context.at, ...(expiresAt !== null && { expiresAt }), token };
  }

  @ApiOperation({
    summary: 'List a site’s access tokens',
    description: 'Only for signed-in owners. Newest first.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Tokens,
    description: 'One page of valid access tokens, each with the day on which it was last used.',
  })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'endSiteToken'))
  @ApiAccess('session')
  @Get()
  async listSiteTokens(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Tokens>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const known = new Set(assertCanDelegate(state, context).tokens.map(({ tokenId }) => tokenId));
    const all = (await this.tokens.ofSite(siteId)).filter(({ tokenId }) => known.has(tokenId));
    return takePage(all.map(toTokenResponse), query);
  }

  @ApiOperation({ summary: 'Revoke an access token for a site', description: 'Only for signed-in owners.' })
  @ApiResponse({ status: 204, description: 'The access token no longer works.' })
  @ApiAccess('session')
  @Delete(':id')
  @HttpCode(204)
  async endSiteToken(
    @Param('slug') slug: string,
    @Param('id') tokenId: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    // The token is removed before the event is recorded. Otherwise, it could still be used after it was reported as
    // revoked.
    await this.credentials.after(decideRevokeSiteToken(state, { context, tokenId }));
    const outcome = await this.commands.execute(new RevokeSiteToken({ context, siteId, tokenId }));
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

export const siteTokenRoutes: Feature = { routes: [SiteTokensController], providers: [EndingCredentials] };
