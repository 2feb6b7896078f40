import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownOriginCheck } from '../../../edge/http/api/csrf.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { computeNetwork } from '../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { takeRate } from '../../../edge/http/limits/take-rate.js';
import { sendPage, wantsPage } from '../../../edge/http/pages/web-page.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { approvePage } from './approve.page.js';
import { isLoopbackAddress, LOOPBACK_ADDRESS, withParameters } from './loopback-address.js';
import { COMPLETE, decisionFields, TerminalApprovals } from './terminal-approvals.js';
import {
  hashTerminalSecret,
  INTERVAL_SECONDS,
  makePageName,
  makeTerminalSecret,
  makeUserCode,
  SECONDS,
} from './terminal-secrets.js';
import { TerminalSignInStore } from './terminal-sign-ins.js';
import { ticketPath } from './ticket.js';

const ASK = '/v1/auth/cli';

/**
 * PKCE challenge: 32 bytes in base64url. The last character encodes only four bits, so only 16 characters can occur
 * there.
 */
const Challenge = z
  .string()
  .regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be the SHA-256 of the verifier in base64url, 43 characters')
  .meta({ description: 'PKCE with S256 (RFC 7636): SHA-256 of the verifier, in base64url without padding.' });
const State = z
  .string()
  .regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 visible ASCII characters')
  .meta({ description: 'Returned along with the code. Required with `redirect_uri`.' });
const RedirectUri = z
  .string()
  .max(512)
  .refine(
    isLoopbackAddress,
    'must be an http URL on 127.0.0.1, [::1] or localhost, without a fragment or parameters named code, state or error',
  )
  .meta({
    description: 'URL where the terminal waits for the browser: http on 127.0.0.1, [::1] or localhost, on any port.',
    pattern: LOOPBACK_ADDRESS.source,
  });

const TerminalAsked = z.object({ challenge: Challenge, state: State.optional(), redirect_uri: RedirectUri.optional() });
const FromBrowser = z.object({ challenge: Challenge, state: State, redirect_uri: RedirectUri });
const Answered = FromBrowser.extend(decisionFields).strict();

const Ticket = z
  .object({
    ticket: z.string().meta({ description: 'Secret to send to /v1/auth/cli/exchange. Returned only once.' }),
    userCode: z
      .string()
      .meta({ description: 'Code to display. The user checks that the approval page shows the same one.' }),
    url: z.string().meta({ description: 'URL to display. The user opens it on any device to approve the sign-in.' }),
    expiresAt: z.string(),
    interval: z.number().int().meta({ description: 'Minimum number of seconds between two exchange requests.' }),
  })
  .meta({ id: 'TerminalTicket' });

@ApiTags('Sign-in')
@Controller(ASK)
class AskController {
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly signIns: TerminalSignInStore,
    private readonly approvals: TerminalApprovals,
    private readonly limits: RateLimits,
    private readonly urls: ServiceUrls,
  ) {
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  @ApiOperation({
    summary: 'Start a sign-in from a terminal',
    description:
      'On a machine with a browser, the terminal opens this URL with `redirect_uri`, and the user signs in if necessary and approves the request on a page. On a machine without a browser, the terminal sends `accept: application/json` to get a ticket, which the user approves at its `url` on any device.',
  })
  @ApiResponse({ status: 200, standardSchema: Ticket, description: 'A ticket. Browsers get the approval page.' })
  @ApiResponse({
    status: 303,
    description: 'Redirects a browser without a session to the sign-in page. After sign-in, the browser returns here.',
  })
  @ApiExtension('x-also-answers', { 'text/html': { schema: { type: 'string' } } })
  @ApiProblems('cross_origin', 'rate_limited')
  @Route({ problemPages: true })
  @Get()
  terminalSignIn(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: TerminalAsked }) asked: z.output<typeof TerminalAsked>,
  ) {
    return wantsPage(request) ? this.#page(request, reply, asked) : this.#ticket(request, reply, asked.challenge);
  }

  @ApiOperation({
    summary: 'Approve or deny a terminal sign-in',
    description: 'Only for the form on the approval page. Requires the session cookie of a signed-in browser.',
  })
  @ApiResponse({ status: 303, description: 'Redirects to a page that forwards the decision to the terminal.' })
  @ApiProblems('rate_limited')
  @Route({ form: true, problemPages: true })
  @Post()
  @HttpCode(303)
  async answerTerminal(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Answered }) { as, decision, ...asked }: z.output<typeof Answered>,
  ) {
    const answer = await this.approvals.answer(request, reply, { as, decision }, pathOf(asked));
    if (!answer) return reply;
    const code = makeTerminalSecret();
    const destination = withParameters(asked.redirect_uri, { state: asked.state });
    await this.signIns.answered(
      {
        pageHash: hashSecret(code),
        secretHash: hashTerminalSecret('code', code),
        challenge: asked.challenge,
        requester: this.approvals.asker(request),
        seconds: SECONDS,
      },
      destination,
      answer,
    );
    return reply.redirect(`${COMPLETE}?of=${code}`, 303);
  }

  async #page(
    request: FastifyRequest,
    reply: FastifyReply,
    { challenge, state, redirect_uri }: z.output<typeof TerminalAsked>,
  ) {
    if (redirect_uri === undefined) return missing('redirect_uri');
    if (state === undefined) return missing('state');
    const asked = { challenge, state, redirect_uri };
    const person = await this.approvals.person(request, reply, pathOf(asked));
    if (!person) return reply;
    return sendPage(request, reply, this.urls.baseUrl, approvePage(person, this.approvals.asker(request), ASK, asked));
  }

  async #ticket(request: FastifyRequest, reply: FastifyReply, challenge: string) {
    // Refuse requests from other sites. Otherwise, a page on another site could request a ticket from its visitor's IP
    // address, and the approval page would show that trusted address.
    if (!this.#isOurs(request.headers)) refuse('cross_origin', 'Tickets can’t be requested from pages on other sites.');
    if (request.method === 'HEAD') return reply.type('application/json; charset=utf-8').send();
    const asker = this.approvals.asker(request);
    const [ticket, page, userCode] = [makeTerminalSecret(), makePageName(), makeUserCode()];
    const hashes = { pageHash: hashSecret(page), secretHash: hashTerminalSecret('ticket', ticket) };
    const opening = { ...hashes, challenge, requester: asker, seconds: SECONDS };
    const { expiresAt } = await takeRate(reply, this.limits, rates.terminalTickets, computeNetwork(asker.address), () =>
      this.signIns.open(opening, userCode),
    );
    const url = `${this.urls.baseUrl}${ticketPath(page)}`;
    return reply.send({ ticket, userCode, url, expiresAt, interval: INTERVAL_SECONDS } satisfies z.output<
      typeof Ticket
    >);
  }
}

const pathOf = (asked: z.output<typeof FromBrowser>) => `${ASK}?${new URLSearchParams(asked)}`;

function missing(path: string): never {
  return refuse(
    'invalid_request',
    `\`${path}\` is required for browsers. To get a ticket instead, send the header accept: application/json.`,
    [{ path, message: 'is required for browsers' }],
  );
}

export const ask: Feature = { routes: [AskController], providers: [TerminalApprovals] };
