import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownOriginCheck } from '../../../http/api/csrf.js';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { hashSecret } from '../../../http/auth/secrets.js';
import { networkOf } from '../../../http/limits/client-address.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import { rates } from '../../../http/limits/rates.js';
import { takeRate } from '../../../http/limits/take-rate.js';
import { sendPage, wantsPage } from '../../../http/pages/web-page.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { TerminalSignIns } from '../../../tables/people/terminal-sign-ins.js';
import { approvePage } from './approve.page.js';
import { isLoopbackAddress, LOOPBACK_ADDRESS, withParameters } from './loopback-address.js';
import { answerFields, COMPLETE, TerminalApprovals } from './terminal-approvals.js';
import { hashOf, INTERVAL, makePageName, makeTerminalSecret, makeUserCode, SECONDS } from './terminal-secrets.js';
import { ticketPath } from './ticket.js';

const ASK = '/v1/auth/cli';

/** 32 bytes in base64url: the last character holds four bits. */
const Challenge = z
  .string()
  .regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be the SHA-256 of the verifier in base64url, 43 characters')
  .meta({ description: 'PKCE with S256 (RFC 7636): SHA-256 of the verifier, in base64url without padding.' });
const State = z
  .string()
  .regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 visible ASCII characters')
  .meta({ description: 'Comes back with the code. Needed with `redirect_uri`.' });
const RedirectUri = z
  .string()
  .max(512)
  .refine(isLoopbackAddress, 'must be an http address on 127.0.0.1, [::1] or localhost, without a fragment')
  .meta({
    description: 'Where the terminal waits for the browser: http on 127.0.0.1, [::1] or localhost, any port.',
    pattern: LOOPBACK_ADDRESS.source,
  });

const TerminalAsked = z.object({ challenge: Challenge, state: State.optional(), redirect_uri: RedirectUri.optional() });
const FromBrowser = z.object({ challenge: Challenge, state: State, redirect_uri: RedirectUri });
const Answered = FromBrowser.extend(answerFields).strict();

const Ticket = z
  .object({
    ticket: z.string().meta({ description: 'For /v1/auth/cli/exchange. Shown once.' }),
    userCode: z.string().meta({ description: 'Show it: the person compares it with the one on the page.' }),
    url: z.string().meta({ description: 'Show it: the person opens it, on any device, and approves.' }),
    expiresAt: z.string(),
    interval: z.number().int().meta({ description: 'Seconds to wait between two exchanges.' }),
  })
  .meta({ id: 'TerminalTicket' });

@ApiTags('Sign-in')
@Controller(ASK)
class AskController {
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;

  constructor(
    @Inject(TerminalSignIns) private readonly signIns: TerminalSignIns,
    @Inject(TerminalApprovals) private readonly approvals: TerminalApprovals,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  @ApiOperation({
    summary: 'Let a terminal ask to act for you',
    description:
      'A browser that a terminal opens here with `redirect_uri` gets a page that asks for approval, after signing in where needed. Without a browser, `accept: application/json` opens a ticket, which is approved at its `url` on any device.',
  })
  @ApiResponse({ status: 200, standardSchema: Ticket, description: 'A ticket; for browsers the page that asks.' })
  @ApiResponse({
    status: 303,
    description: 'A browser in which no person is signed in yet: to sign in first, then back here.',
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
    summary: 'Answer a terminal, from the page that asks',
    description: 'For the form on that page alone: it needs the cookie of a browser that is signed in.',
  })
  @ApiResponse({ status: 303, description: 'On to where the terminal waits, with the answer.' })
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
        secretHash: hashOf('code', code),
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
    // Otherwise a page elsewhere could ask from its visitor's own address, which is shown to the person who approves.
    if (!this.#isOurs(request.headers)) refuse('cross_origin', 'A ticket is for programs, not for pages.');
    if (request.method === 'HEAD') return reply.type('application/json; charset=utf-8').send();
    const asker = this.approvals.asker(request);
    const [ticket, page, userCode] = [makeTerminalSecret(), makePageName(), makeUserCode()];
    const hashes = { pageHash: hashSecret(page), secretHash: hashOf('ticket', ticket) };
    const opening = { ...hashes, challenge, requester: asker, seconds: SECONDS };
    const { expiresAt } = await takeRate(reply, this.limits, rates.terminalTickets, networkOf(asker.address), () =>
      this.signIns.open(opening, userCode),
    );
    const url = `${this.urls.baseUrl}${ticketPath(page)}`;
    return reply.send({ ticket, userCode, url, expiresAt, interval: INTERVAL } satisfies z.output<typeof Ticket>);
  }
}

const pathOf = (asked: z.output<typeof FromBrowser>) => `${ASK}?${new URLSearchParams(asked)}`;

function missing(path: string): never {
  return refuse(
    'invalid_request',
    `${path} is missing: a browser carries the answer there. For a ticket send accept: application/json.`,
    [{ path, message: 'is missing' }],
  );
}

export const ask: Feature = { routes: [AskController], providers: [TerminalApprovals] };
