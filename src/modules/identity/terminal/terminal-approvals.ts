import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People, type Person } from '../../../accounts/people/people.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { readClientName } from '../../../edge/http/auth/client-name.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { refuse } from '../../../kernel/refusal.js';
import type { TerminalDecision, TerminalRequester } from './terminal-sign-ins.js';

export const COMPLETE = '/v1/auth/cli/complete';

export const AGAIN = 'Start the sign-in again in your terminal.';

/** Fields of the approval form. `as` is the ID of the user to whom the form was shown. */
export const decisionFields = { as: z.string().max(64), decision: z.enum(['approve', 'deny', 'other']) };

type AnswerForm = { readonly as: string; readonly decision: 'approve' | 'deny' | 'other' };

@Injectable()
export class TerminalApprovals {
  readonly #return: ReturnCookie;

  constructor(
    private readonly people: People,
    private readonly sessionStart: SessionStart,
    private readonly clientAddress: ClientAddress,
    urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  /**
   * Returns the signed-in user. If no user is signed in, redirects to the sign-in, which leads back to `here`, and
   * returns null.
   */
  async person(request: FastifyRequest, reply: FastifyReply, here: string): Promise<Person | null> {
    if (!request.session) {
      this.#toSignIn(reply, here);
      return null;
    }
    return (
      (await this.people.find(request.session.userId)) ?? refuse('unauthenticated', 'This account no longer exists.')
    );
  }

  /**
   * Returns the user's decision about a terminal sign-in. Returns null if the browser was redirected to sign in, or if
   * the form was shown to a different user than the one who is signed in now.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    here: string,
  ): Promise<TerminalDecision | null> {
    const { session } = request;
    if (session && form.decision === 'other') {
      await this.sessionStart.end(request, reply);
      this.#toSignIn(reply, here);
      return null;
    }
    // Another user has signed in in another tab since the form was shown. Show the page again for that user.
    if (session?.userId !== form.as) {
      void reply.redirect(here, 303);
      return null;
    }
    // Terminal sessions can't approve terminals: if they could, ending a terminal's session would not end all of its
    // access.
    if (session.purpose === 'terminal')
      refuse('forbidden', 'A terminal’s session can’t approve another terminal. Use a browser.');
    return { userId: session.userId, approved: form.decision === 'approve' };
  }

  asker = (request: FastifyRequest): TerminalRequester => ({
    address: this.clientAddress.addressOf(request.raw),
    client: readClientName(request),
  });

  #toSignIn(reply: FastifyReply, here: string) {
    this.#return.set(reply, here);
    void reply.redirect('/sign-in', 303);
  }
}
