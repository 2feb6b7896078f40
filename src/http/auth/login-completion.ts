import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Ids } from '../../kernel/ids.js';
import { People, type Person } from '../../tables/people/people.js';
import { ServiceUrls } from '../api/service-urls.js';
import { wantsPage } from '../pages/web-page.js';
import { type SignedInAnswer, shownPerson } from './person-answer.js';
import { ReturnCookie } from './return-cookie.js';
import { SessionStart } from './session-start.js';

/** Where a browser ends that has just signed in, and was not on its way to anywhere. */
export const HOME = '/sites';

/** The end of every way in: a session begins, and programs are told of it, browsers shown their sites. */
@Injectable()
export class LoginCompletion {
  readonly #return: ReturnCookie;

  constructor(
    @Inject(People) private readonly people: People,
    @Inject(SessionStart) private readonly sessionStart: SessionStart,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(ServiceUrls) urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  /** Whoever reads the mail of this address. */
  async byEmail(request: FastifyRequest, reply: FastifyReply, email: string) {
    return this.of(request, reply, await this.personOf(email));
  }

  /** Who has this address, which was proven; somebody new where nobody had it yet. */
  personOf(email: string): Promise<Person> {
    return this.people.withEmail(email, { userId: this.ids.make('usr') });
  }

  async of(request: FastifyRequest, reply: FastifyReply, person: Person, home?: string) {
    const { session, token } = await this.sessionStart.begin(request, reply, person);
    if (wantsPage(request)) return reply.redirect(home ?? this.#return.take(request, reply) ?? HOME, 303);
    const answer: z.output<typeof SignedInAnswer> = {
      user: shownPerson(person),
      expiresAt: session.expiresAt,
      token,
    };
    return reply.send(answer);
  }
}
