import { Controller, Get, HttpCode, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People, type Person } from '../../../accounts/people/people.js';
import { html } from '../../../edge/browser/markup.js';
import { ownOriginCheck } from '../../../edge/http/api/csrf.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { isPrefetch } from '../../../edge/http/auth/links/is-prefetch.js';
import { LoginCookie } from '../../../edge/http/auth/links/login-cookie.js';
import { LoginCompletion } from '../../../edge/http/auth/login-completion.js';
import { Email, SignedInResponse } from '../../../edge/http/auth/person-response.js';
import { ReturnTo } from '../../../edge/http/auth/return-to.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { Ids } from '../../../kernel/ids.js';
import { IdentityProvider, type ProviderProfile } from '../../../kernel/ports/outside/identity-provider.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { SignInAttemptStore } from './sign-in-attempts.js';

const BEGIN = '/v1/auth/idp';

export const CALLBACK = `${BEGIN}/callback`;

/** Lifetime of a sign-in attempt and of its cookie. */
const COOKIE_SECONDS = 600;

const Beginning = z.object({
  returnTo: ReturnTo.optional().meta({ description: 'Page on this service to show after sign-in.' }),
});
const ComingBack = z.object({
  state: z.string().min(1).max(200).meta({ description: 'The `state` that was sent to the provider.' }),
  code: z.string().max(8_000).optional(),
  iss: z.string().max(2_000).optional().meta({ description: 'Issuer of the response (RFC 9207).' }),
  error: z.string().max(200).optional(),
});

const html200 = { 'text/html': { schema: { type: 'string' as const } } };

@ApiTags('Sign-in')
@Controller(BEGIN)
class IdentityProviderController {
  readonly #cookie: LoginCookie;
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly attempts: SignInAttemptStore,
    private readonly people: People,
    private readonly sessionStart: SessionStart,
    private readonly loginCompletion: LoginCompletion,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
  ) {
    this.#cookie = new LoginCookie(urls.baseUrl, COOKIE_SECONDS);
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  @ApiOperation({
    summary: 'Sign in with the identity provider',
    description:
      'For browsers. A browser that arrives from another site gets a page with a link to continue, so that the other site cannot sign visitors in without their consent.',
  })
  @ApiResponse({ status: 303, description: 'Redirects to the provider.' })
  @ApiResponse({ status: 200, description: 'A page with a link that starts the sign-in.', content: html200 })
  @Route({ problemPages: true, rate: rates.providerSignIns })
  @Get()
  async begin(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: Beginning }) { returnTo }: z.output<typeof Beginning>,
  ) {
    const { name } = this.provider;
    if (name !== null && (isPrefetch(request) || !this.#isOurs(request.headers)))
      return sendPage(request, reply, this.urls.baseUrl, beginPage(name, returnTo));
    const { href, state, asked } = await this.provider.ask();
    const browserHash = this.#cookie.issue(request, reply);
    await this.attempts.keep(state, browserHash, { asked, returnTo: returnTo ?? null });
    return reply.redirect(href, 303);
  }

  @ApiOperation({
    summary: 'Complete sign-in with the identity provider',
    description:
      'The provider redirects the browser here. Works once, and only in the browser that started the sign-in. Users are identified by issuer and subject, or on their first sign-in by an email address that the provider has verified.',
  })
  @ApiResponse({ status: 303, description: 'Signed in. Redirects to the requested page, or to the list of sites.' })
  @ApiResponse({
    status: 200,
    standardSchema: SignedInResponse,
    description: 'Signed in. Returned to API clients instead of the redirect.',
  })
  @ApiProblems('forbidden')
  @Route({ problemPages: true, rate: rates.tokenTries })
  @Get('callback')
  @HttpCode(200)
  async comeBack(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: ComingBack }) { state }: z.output<typeof ComingBack>,
  ) {
    if (isPrefetch(request)) return refuse('invalid_request', 'This URL completes a sign-in and can’t be prefetched.');
    const browserHash = this.#cookie.hashIn(request);
    const attempt = browserHash === null ? null : await this.attempts.take(state, browserHash);
    if (!attempt)
      return refuse(
        'invalid_token',
        'This sign-in was started in another browser, was already completed or took longer than 10 minutes.',
      );
    const visitor = await this.provider.whoCameBack(queryOf(request), attempt.asked);
    const person = await this.#personOf(visitor);
    this.sessionStart.vouchFor(request);
    return this.loginCompletion.complete(request, reply, person, attempt.returnTo ?? undefined);
  }

  async #personOf({ identity, email, name }: ProviderProfile): Promise<Person> {
    const known = await this.people.knownAs(identity);
    if (known) return known;
    const verified = Email.safeParse(email);
    if (!verified.success)
      return refuse(
        'forbidden',
        `${this.provider.name} has not verified your email address. Verify it there, or sign in by email.`,
      );
    return this.people.withIdentity(identity, verified.data, name, { userId: this.ids.make('usr') });
  }
}

const queryOf = ({ url }: FastifyRequest) => new URLSearchParams(url.split('?').slice(1).join('?'));

const beginPage = (name: string, returnTo: string | undefined) =>
  webPage(
    'Sign in',
    html`<p>You will sign in at ${name} and then return here.</p>
<p>${signInLink(name, returnTo)}</p>`,
  );

/**
 * Renders a link to the identity provider instead of a form, because the `form-action` policy does not allow forms to
 * lead to another host.
 */
export const signInLink = (name: string, returnTo?: string) =>
  html`<a href="${BEGIN}${returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`}">Sign in with ${name}</a>`;

export const identityProvider: Feature = { routes: [IdentityProviderController] };
