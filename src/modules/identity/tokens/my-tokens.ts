import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Route } from '../../../http/api/route-options.js';
import { SignedInAs } from '../../../http/auth/context.js';
import { expiryOf, NewToken, Token, TokenExpiry, TokenName, tokenAnswer } from '../../../http/auth/token-answer.js';
import { rates } from '../../../http/limits/rates.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import type { Session } from '../../../tables/people/sessions.js';
import { AccessTokens } from '../../../tables/tokens/access-tokens.js';
import { PersonalTokens } from './personal-tokens.js';
import { tokensPages } from './tokens.page.js';

const Making = z.strictObject({ name: TokenName, role: z.enum(['owner', 'editor', 'viewer']), expiresAt: TokenExpiry });

const MyTokens = z.object({ items: z.array(Token) }).meta({ id: 'MyAccessTokens' });

@ApiTags('Tokens')
@Controller('v1/me/tokens')
class MyTokensController {
  constructor(
    @Inject(PersonalTokens) private readonly personal: PersonalTokens,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
  ) {}

  @ApiOperation({
    summary: 'Make a token for a script that works on all of your sites',
    description:
      'Sites to come included, new ones that it makes too. It never may more than you on a site, nor more than its role. It manages no tokens, members, sessions or names, and ends no site.',
  })
  @ApiResponse({ status: 201, standardSchema: NewToken, description: 'It holds from now on.' })
  @Route({ rate: rates.tokens })
  @Post()
  @HttpCode(201)
  async makeMyToken(
    @SignedInAs() { userId }: Session,
    @Body({ schema: Making }) { name, role, expiresAt: asked }: z.output<typeof Making>,
  ): Promise<z.output<typeof NewToken>> {
    const at = new Date().toISOString();
    const expiresAt = expiryOf(asked, at);
    const { tokenId, token } = await this.personal.make(userId, { name, role, createdAt: at, expiresAt });
    return { id: tokenId, name, role, createdAt: at, ...(expiresAt !== null && { expiresAt }), token };
  }

  @ApiOperation({ summary: 'Your tokens for all of your sites, the newest first' })
  @ApiResponse({ status: 200, standardSchema: MyTokens, description: 'Those that hold.' })
  @Get()
  async myTokens(@SignedInAs() { userId }: Session): Promise<z.output<typeof MyTokens>> {
    return { items: (await this.tokens.ofPerson(userId)).map(tokenAnswer) };
  }

  @ApiOperation({ summary: 'End one of your tokens' })
  @ApiResponse({ status: 204, description: 'It holds no more, on every process.' })
  @Delete(':id')
  @HttpCode(204)
  async endMyToken(@SignedInAs() { userId }: Session, @Param('id') id: string): Promise<void> {
    if (!(await this.tokens.endOfPerson(userId, id))) refuse('not_found', 'You have no such token.');
  }
}

export const myTokens: Feature = { routes: [MyTokensController, ...tokensPages], providers: [PersonalTokens] };
