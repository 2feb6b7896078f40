import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { type AccessToken, AccessTokenStore } from '../../../accounts/tokens/access-tokens.js';
import { html } from '../../../edge/browser/markup.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { TokenName } from '../../../edge/http/auth/token-response.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { PersonalTokens } from './personal-tokens.js';

const Form = z.strictObject({ name: TokenName, role: z.enum(['editor', 'viewer']) });

@ApiExcludeController()
@Controller('tokens')
class TokensPageController {
  readonly #return: ReturnCookie;

  constructor(
    private readonly tokens: AccessTokenStore,
    private readonly personal: PersonalTokens,
    private readonly urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  @Route({ page: true, problemPages: true })
  @Get()
  async tokensPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (!request.session) {
      this.#return.set(reply, '/tokens');
      return reply.redirect('/sign-in', 303);
    }
    const items = await this.tokens.ofPerson(request.session.userId);
    return sendPage(request, reply, this.urls.baseUrl, listPage(items));
  }

  @Route({ form: true, page: true, problemPages: true, rate: rates.tokens })
  @Post()
  @HttpCode(200)
  async makeOnPage(
    @RequireSession() { userId }: Session,
    @Body({ schema: Form }) { name, role }: z.output<typeof Form>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const { token } = await this.personal.make(userId, {
      name,
      role,
      createdAt: new Date().toISOString(),
      expiresAt: null,
    });
    return sendPage(request, reply, this.urls.baseUrl, madePage(name, token));
  }

  @Route({ form: true, problemPages: true })
  @Post(':id/end')
  @HttpCode(303)
  async endOnPage(@RequireSession() { userId }: Session, @Param('id') id: string, @Res() reply: FastifyReply) {
    await this.tokens.endOfPerson(userId, id);
    return reply.redirect('/tokens', 303);
  }
}

export const tokensPages = [TokensPageController];

const listPage = (items: readonly AccessToken[]): string =>
  webPage(
    'Access tokens',
    html`<p>An access token lets CI or a script work on all of your sites, with at most the role that you have on each. To create a token for a single site, use <code>POST /v1/sites/{slug}/tokens</code>.</p>
${items.length === 0 ? html`<p>You have no access tokens yet.</p>` : items.map(entry)}
<form method="post" action="/tokens">
<label for="name">Used by</label>
<input id="name" name="name" required maxlength="100" autocomplete="off">
<label for="role">Allowed to</label>
<select id="role" name="role"><option value="editor">deploy and roll back</option><option value="viewer">read only</option></select>
<button>Create token</button>
</form>
<p class="soft"><a href="/sites">Your sites</a></p>`,
  );

const entry = ({ tokenId, name, role, lastUsedAt, expiresAt }: AccessToken) => html`<article>
<h2>${name}</h2>
<p>Role: ${role}. ${lastUsedAt === null ? 'Never used.' : html`Last used on <time datetime="${lastUsedAt.slice(0, 10)}">${lastUsedAt.slice(0, 10)}</time>.`}${expiresAt === null ? null : html` Expires on <time datetime="${expiresAt}">${expiresAt.slice(0, 10)}</time>.`}</p>
<form method="post" action="/tokens/${tokenId}/end"><button class="quiet">Revoke ${name}</button></form>
</article>`;

const madePage = (name: string, token: string): string =>
  webPage(
    'Your new access token',
    html`<p>This is the token for <strong>${name}</strong>. Copy it now: it won’t be shown again.</p>
<p><code>${token}</code></p>
<p class="soft"><a href="/tokens">Access tokens</a></p>`,
  );
