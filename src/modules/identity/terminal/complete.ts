import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { html, type Markup } from '../../../edge/browser/markup.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { withParameters } from './loopback-address.js';
import { AGAIN } from './terminal-approvals.js';
import { type TerminalSignIn, TerminalSignInStore } from './terminal-sign-ins.js';

const Answered = z.object({
  of: z.string().max(64).meta({ description: 'Identifies the sign-in that was approved or denied.' }),
});

@ApiTags('Sign-in')
@Controller('v1/auth/cli/complete')
class CompleteController {
  constructor(
    private readonly signIns: TerminalSignInStore,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Show the result of a terminal sign-in',
    description:
      'Shows the result to the user who approved or denied the sign-in. If the terminal sent a `redirect_uri`, the page forwards the browser there with `state` and either `code` or `error=access_denied`. For a ticket, the page says that the terminal will continue.',
  })
  @ApiResponse({
    status: 200,
    description: 'A page. The response has a `refresh` header if the browser must continue to `redirect_uri`.',
    content: { 'text/html': { schema: { type: 'string' } } },
  })
  @Route({ problemPages: true, anotherLink: AGAIN, rate: rates.tokenTries })
  @Get()
  async terminalAnswered(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @RequireSession() { userId }: Session,
    @Query({ schema: Answered }) { of }: z.output<typeof Answered>,
  ) {
    const signIn = await this.signIns.find(hashSecret(of));
    if (signIn?.userId !== userId) {
      return refuse('invalid_token', 'This sign-in has expired, or another user approved or denied it.');
    }
    const onward = onwardOf(signIn, of);
    // The page redirects by itself: as a response to a form, an HTTP redirect would be blocked by `form-action`
    // (docs/trials.md, "Untrusted pages beside an API").
    if (onward !== null) void reply.header('refresh', `0;url=${onward}`);
    return sendPage(request, reply, this.urls.baseUrl, completePage(signIn, onward));
  }
}

/**
 * Returns the URL on the user's machine to which the browser takes the user's decision. Returns null if the terminal
 * polls for the decision or already has it.
 */
function onwardOf({ state, destination }: TerminalSignIn, code: string): string | null {
  if (destination === null || state === 'used') return null;
  return withParameters(destination, state === 'approved' ? { code } : { error: 'access_denied' });
}

function completePage({ state }: TerminalSignIn, onward: string | null): string {
  const link = onward === null ? null : html`<p class="soft">If nothing happens, <a href="${onward}">continue</a>.</p>`;
  if (state === 'denied') {
    return webPage('Denied', html`<p>The terminal can’t act for you.</p>${link ?? close}`);
  }
  if (state === 'used') return webPage('Your terminal is signed in', html`${ending}${close}`);
  return webPage('Approved', html`<p>Your terminal continues automatically.</p>${ending}${link ?? close}`);
}

const ending: Markup = html`<p>It stays signed in for up to 30 days. It is signed out earlier if you don’t use it for 7 days or if you end its session.</p>`;
const close: Markup = html`<p class="soft">You can close this page.</p>`;

export const complete: Feature = { routes: [CompleteController] };
