import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../edge/browser/markup.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { HOME } from '../../../edge/http/auth/login-completion.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { IdentityProvider } from '../../../kernel/ports/outside/identity-provider.js';
import type { Feature } from '../../../nest/features.js';
import { signInLink } from './identity-provider.js';

@ApiExcludeController()
@Controller()
class SignInPages {
  readonly #return: ReturnCookie;

  constructor(
    private readonly urls: ServiceUrls,
    private readonly provider: IdentityProvider,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  @Route({ page: true, problemPages: true })
  @Get('sign-in')
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (request.session) return reply.redirect(this.#return.take(request, reply) ?? HOME, 303);
    const page = signInPage(this.provider.name, this.#return.isIn(request));
    return sendPage(request, reply, this.urls.baseUrl, page);
  }

  @Route({ page: true, problemPages: true })
  @Get('signed-out')
  signedOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return sendPage(request, reply, this.urls.baseUrl, signedOutPage);
  }
}

const signInPage = (provider: string | null, onTheWay: boolean) =>
  webPage(
    'Sign in',
    html`${provider === null ? null : html`<p>${signInLink(provider)}</p>`}<p>No password needed: we’ll send you a sign-in link.${onTheWay ? ' After that, this browser returns to where you were.' : null}</p>
<form method="post" action="/v1/auth/start">
<label>Email address <input type="email" name="email" autocomplete="email" required maxlength="254" autofocus></label>
<button>Send me a link</button>
</form>`,
  );

const signedOutPage = webPage(
  'Signed out',
  html`<p>You are signed out.</p><p><a href="/sign-in">Sign in again</a></p>`,
);

export const signInPages: Feature = { routes: [SignInPages] };
