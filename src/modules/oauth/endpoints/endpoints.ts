import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Route } from '../../../edge/http/api/route-options.js';
import { JsonObject } from '../../../edge/http/api/schemas/json-object.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ClientAddress, computeNetwork } from '../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { takeRate } from '../../../edge/http/limits/take-rate.js';
import { sendPage, wantsPage } from '../../../edge/http/pages/web-page.js';
import {
  AUTHORIZATION_PATHS,
  AuthorizationServer,
  type EndpointResponse,
} from '../../../kernel/ports/outside/authorization-server.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { isOnThisMachine } from '../redirect-place.js';
import { explainError } from './explain-error.js';
import { refusedPage } from './refused.page.js';

/** Maximum size of a client's metadata: enough for ten redirect URIs. */
const MAX_METADATA_BYTES = 24_576;
const MAX_FORM_BYTES = 8_192;

const Form = z.string();
const FORM = 'application/x-www-form-urlencoded';

/**
 * The OAuth endpoints, which pass requests on to the authorization server. Their responses follow RFCs 6749, 7009 and
 * 7591 instead of docs/interface.md. The rules for rate limits, hosts, bodies and headers are the same as for all other
 * routes.
 */
@ApiExcludeController()
@Controller()
class EndpointsController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly limits: RateLimits,
    private readonly clientAddress: ClientAddress,
    private readonly urls: ServiceUrls,
  ) {}

  /**
   * Redirects the browser to the consent page. Shows errors on a page with a link instead of redirecting to the client.
   * Otherwise, the service would be an open redirector, because anyone can register any URL (RFC 9700 section 4.11.2).
   */
  @Route({ problemPages: true })
  @Get(AUTHORIZATION_PATHS.authorization)
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { url, headers, raw } = request;
    // Charge refused requests to the rate limit too, because they can make the service fetch a document from a URL
    // chosen by a stranger.
    const network = computeNetwork(this.clientAddress.addressOf(raw));
    const answer = await takeRate(reply, this.limits, rates.agentRequests, network, () =>
      this.server.answer({ method: 'GET', url, cookie: headers.cookie }),
    );
    const { location } = answer;
    if (location === null || location.startsWith('/') || isOnThisMachine(location) || !wantsPage(request))
      return this.#send(request, reply, answer);
    return sendPage(request, reply, this.urls.baseUrl, refusedPage(location), 400);
  }

  /** Continues after the consent page: redirects to the client with the user's decision. */
  @Route({ problemPages: true })
  @Get(`${AUTHORIZATION_PATHS.authorization}/:uid`)
  async resume(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { url, headers } = request;
    return this.#send(request, reply, await this.server.answer({ method: 'GET', url, cookie: headers.cookie }));
  }

  @Route({ form: 'text', jsonBytes: MAX_FORM_BYTES, rate: rates.agentTokenTries })
  @Post(AUTHORIZATION_PATHS.token)
  async token(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body({ schema: Form }) body: string) {
    return this.#post(request, reply, AUTHORIZATION_PATHS.token, body, FORM);
  }

  @Route({ form: 'text', jsonBytes: MAX_FORM_BYTES, rate: rates.agentTokenTries })
  @Post(AUTHORIZATION_PATHS.revocation)
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body({ schema: Form }) body: string) {
    return this.#post(request, reply, AUTHORIZATION_PATHS.revocation, body, FORM);
  }

  @Route({ jsonBytes: MAX_METADATA_BYTES, rate: rates.agentRegistrations })
  @Post(AUTHORIZATION_PATHS.registration)
  async register(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: JsonObject }) body: z.output<typeof JsonObject>,
  ) {
    return this.#post(request, reply, AUTHORIZATION_PATHS.registration, JSON.stringify(body), 'application/json');
  }

  @Get(AUTHORIZATION_PATHS.keys)
  async keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.#send(
      request,
      reply,
      await this.server.answer({ method: 'GET', url: AUTHORIZATION_PATHS.keys, cookie: undefined }),
    );
  }

  async #post(request: FastifyRequest, reply: FastifyReply, url: string, body: string, contentType: string) {
    const answer = await this.server.answer({ method: 'POST', url, cookie: undefined, body, contentType });
    return this.#send(request, reply, answer);
  }

  #send(request: FastifyRequest, reply: FastifyReply, { status, json, location, cookies }: EndpointResponse) {
    if (cookies.length > 0) void reply.header('set-cookie', [...cookies]);
    if (location !== null) return reply.redirect(location, 303);
    if (status >= 400 && status < 500 && wantsPage(request)) refuse('invalid_request', explanationOf(json));
    void reply.header('pragma', 'no-cache');
    return json === null ? reply.status(status).send() : reply.status(status).send(json);
  }
}

const OAuthError = z.object({ error: z.string() });

function explanationOf(json: unknown): string {
  const { success, data } = OAuthError.safeParse(json);
  if (!success) return 'The app sent an invalid authorization request.';
  return `${explainError(data.error)} (${data.error})`;
}

export const endpoints: Feature = { routes: [EndpointsController] };
