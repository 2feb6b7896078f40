import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { AccessTokenStore } from '../../../accounts/tokens/access-tokens.js';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import {
  NewToken,
  parseExpiry,
  Token,
  TokenExpiry,
  TokenName,
  toTokenResponse,
} from '../../../edge/http/auth/token-response.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { PersonalTokens } from './personal-tokens.js';
import { tokensPages } from './tokens.page.js';

const Making = z.strictObject({ name: TokenName, role: z.enum(['owner', 'editor', 'viewer']), expiresAt: TokenExpiry });

const MyTokens = z.object({ items: z.array(Token) }).meta({ id: 'MyAccessTokens' });

@ApiTags('Tokens')
@Controller('v1/me/tokens')
class MyTokensController {
  constructor(
    private readonly personal: PersonalTokens,
    private readonly tokens: AccessTokenStore,
  ) {}

  @ApiOperation({
    summary: 'Create an access token for all of your sites',
    description:
      'For CI or a script. The token works on all of your current and future sites, including those that it creates itself. On each site, it has your role there, capped at the token’s role. It can’t manage access tokens, publishers, members, invites, sessions, slugs or domains, and can’t delete sites.',
  })
  @ApiResponse({
    status: 201,
    standardSchema: NewToken,
    description: 'The new token. Its secret is returned only once.',
  })
  @Route({ rate: rates.tokens })
  @ApiLinks(...buildLinks({ id: fromResponse('id') }, 'endMyToken'))
  @Post()
  @HttpCode(201)
  async makeMyToken(
    @RequireSession() { userId }: Session,
    @Body({ schema: Making }) { name, role, expiresAt: asked }: z.output<typeof Making>,
  ): Promise<z.output<typeof NewToken>> {
    const at = new Date().toISOString();
    const expiresAt = parseExpiry(asked, at);
    const { tokenId, token } = await this.personal.make(userId, { name, role, createdAt: at, expiresAt });
    return { id: tokenId, name, role, createdAt: at, ...(expiresAt !== null && { expiresAt }), token };
  }

  @ApiOperation({ summary: 'List your access tokens for all of your sites, newest first' })
  @ApiResponse({ status: 200, standardSchema: MyTokens, description: 'Your unexpired access tokens.' })
  @ApiLinks(...buildLinks({ id: fromResponse('items/0/id') }, 'endMyToken'))
  @Get()
  async myTokens(@RequireSession() { userId }: Session): Promise<z.output<typeof MyTokens>> {
    return { items: (await this.tokens.ofPerson(userId)).map(toTokenResponse) };
  }

  @ApiOperation({ summary: 'Revoke an access token' })
  @ApiResponse({ status: 204, description: 'The token no longer works.' })
  @Delete(':id')
  @HttpCode(204)
  async endMyToken(@RequireSession() { userId }: Session, @Param('id') id: string): Promise<void> {
    if (!(await this.tokens.endOfPerson(userId, id))) refuse('not_found', `You have no access token ${quoteId(id)}.`);
  }
}

export const myTokens: Feature = { routes: [MyTokensController, ...tokensPages], providers: [PersonalTokens] };
