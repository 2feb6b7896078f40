import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ConnectorTokenStore, TOKEN_REVOKED, type TokenOwner } from '../../../../accounts/tokens/connector-tokens.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess } from '../../../../edge/http/api/description/api-traits.js';
import { buildPageSchema, PageQuery, takePage } from '../../../../edge/http/api/schemas/pagination.js';
import { ShownName } from '../../../../edge/http/api/schemas/texts.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { hashSecret, makeSecret } from '../../../../edge/http/auth/secrets.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { Ids } from '../../../../kernel/ids.js';
import { WakeUps } from '../../../../kernel/ports/wake-ups.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { type LiveSite } from '../../site/state/site.state.js';
import { decideIssueToken, decideRevokeToken, MAX_CONNECTOR_TOKENS } from './connector-token.decide.js';

const TokenBody = z
  .strictObject({
    name: ShownName.meta({
      description: 'Display name for the agent, such as the name of the machine that it runs on.',
    }).default('agent'),
  })
  .default({ name: 'agent' });

const IssuedToken = z
  .object({
    id: z.string(),
    token: z
      .string()
      .meta({ description: 'Token that the agent sends as `Authorization: Bearer …`. Shown only once.' }),
    name: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'ConnectorTokenIssued' });

const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    lastPolledAt: z
      .string()
      .nullable()
      .meta({ description: 'Time of the agent’s last poll, or null if it has never polled.' }),
  })
  .meta({ id: 'ConnectorToken' });
const Tokens = buildPageSchema(Token).meta({ id: 'ConnectorTokens' });

export class IssueConnectorToken extends SiteCommand(decideIssueToken) {}
export class RevokeConnectorToken extends SiteCommand(decideRevokeToken) {}

@ApiTags('Connector')
@Controller('v1/sites/:slug/connector/tokens')
class ConnectorTokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly tokens: ConnectorTokenStore,
    private readonly ids: Ids,
    private readonly wakeUps: WakeUps,
  ) {}

  @ApiOperation({
    summary: 'Create a connector token',
    description: `Owners only. Agents use this token to poll for work that the site sends to its connector. A site can have up to ${MAX_CONNECTOR_TOKENS} tokens. Create one for each agent, so that you can revoke them separately. A token stops working when the user who created it is no longer an owner of the site.`,
  })
  @ApiResponse({ status: 201, standardSchema: IssuedToken, description: 'The new token, valid immediately.' })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('id') }, 'revokeConnectorToken'))
  @ApiAccess('session')
  @Post()
  @HttpCode(201)
  async issueConnectorToken(
    @Param('slug') slug: string,
    @Body({ schema: TokenBody }) { name }: z.output<typeof TokenBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof IssuedToken>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const tokenId = this.ids.make('ctk');
    const token = makeSecret('connector');
    decideIssueToken(state, { context, tokenId, name });
    const owner = callerAsOwner(assertCanManage(state, context), context);
    // The token is stored before the event is recorded. If the process crashes in between, nobody knows the token's
    // secret.
    await this.tokens.keep(hashSecret(token), { tokenId, siteId, name }, owner, context.at);
    const outcome = await this.commands.execute(new IssueConnectorToken({ context, siteId, tokenId, name }));
    void reply.headers(siteRelatedHeaders(outcome));
    return { id: tokenId, token, name, createdAt: context.at };
  }

  @ApiOperation({ summary: 'List a site’s connector tokens', description: 'Owners only. Oldest first.' })
  @ApiResponse({ status: 200, standardSchema: Tokens, description: 'One page of connector tokens.' })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'revokeConnectorToken'))
  @ApiAccess('session')
  @Get()
  async listConnectorTokens(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Tokens>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const { connectorTokens } = assertCanManage(state, context);
    const kept = new Map((await this.tokens.of(siteId)).map((token) => [token.tokenId, token]));
    const all = connectorTokens.flatMap(({ tokenId, name }) => {
      const token = kept.get(tokenId);
      if (!token) return [];
      const [createdAt, lastPolledAt] = [token.createdAt.toISOString(), token.lastPolledAt?.toISOString() ?? null];
      return [{ id: tokenId, name, createdAt, lastPolledAt }];
    });
    return takePage(all, query);
  }

  @ApiOperation({
    summary: 'Revoke a connector token',
    description: 'Owners only. The token stops working immediately. Unfinished work is assigned to another agent.',
  })
  @ApiResponse({ status: 204, description: 'The token has been revoked.' })
  @ApiAccess('session')
  @Delete(':id')
  @HttpCode(204)
  async revokeConnectorToken(
    @Param('slug') slug: string,
    @Param('id') tokenId: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    decideRevokeToken(state, { context, tokenId });
    // The token is removed before the event is recorded. Otherwise, it could still be used after it was reported as
    // revoked.
    await this.tokens.remove(siteId, tokenId);
    this.wakeUps.tell(TOKEN_REVOKED, tokenId);
    const outcome = await this.commands.execute(new RevokeConnectorToken({ context, siteId, tokenId }));
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

/** Returns the caller as the owner of a new token. Callers who can manage a site always have a membership. */
function callerAsOwner({ members }: LiveSite, { caller: { userId } }: CommandContext): TokenOwner {
  const member = userId === null ? undefined : members[userId];
  return userId !== null && member ? { userId, memberId: member.memberId } : refuse('forbidden');
}

export const connectorTokens: Feature = { routes: [ConnectorTokensController] };
