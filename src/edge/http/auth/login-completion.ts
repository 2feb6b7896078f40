import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { MailedLink } from '../../../accounts/people/mailed-links.js';
import { People, type Person } from '../../../accounts/people/people.js';
import { Ids } from '../../../kernel/ids.js';
import { ServiceUrls } from '../api/service-urls.js';
import { wantsPage } from '../pages/web-page.js';
import { ReturnCookie } from './cookies/return-cookie.js';
import { type SignedInResponse, toPersonResponse } from './person-response.js';
import { SessionStart } from './session-start.js';

/** The page shown after a sign-in, unless the sign-in interrupted a visit to another page. */
export const HOME = '/sites';

export type SendLoginResponse = () => FastifyReply;

/** The last step of every sign-in: starts a session. A browser gets a redirect, and any other client gets the token. */
@Injectable()
export class LoginCompletion {
  readonly #return: ReturnCookie;

  constructor(
    private readonly people: People,
    private readonly sessionStart: SessionStart,
    private readonly ids: Ids,
    urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  /** Signs in the user who has verified this email address by opening a mailed link. */
  async byLink(request: FastifyRequest, reply: FastifyReply, { id, email }: MailedLink): Promise<SendLoginResponse> {
    return this.#begin(request, reply, await this.personOf(email), { once: id });
  }

  /** Returns the user with this verified email address. Creates the user if the address is unknown. */
  personOf(email: string): Promise<Person> {
    return this.people.withEmail(email, { userId: this.ids.make('usr') });
  }

  /** Signs a user in. Sends a browser to `home` or, by default, to the page that the sign-in interrupted. */
  async complete(request: FastifyRequest, reply: FastifyReply, person: Person, home?: string) {
    const answer = await this.#begin(request, reply, person, { home });
    return answer();
  }

  async #begin(
    request: FastifyRequest,
    reply: FastifyReply,
    person: Person,
    { home, once }: { readonly home?: string | undefined; readonly once?: string },
  ): Promise<SendLoginResponse> {
    const { session, token } = await this.sessionStart.begin(request, reply, person, once);
    if (wantsPage(request)) return () => reply.redirect(home ?? this.#return.take(request, reply) ?? HOME, 303);
    const answer: z.output<typeof SignedInResponse> = {
      user: toPersonResponse(person),
      expiresAt: session.expiresAt,
      token,
    };
    return () => reply.send(answer);
  }
}
