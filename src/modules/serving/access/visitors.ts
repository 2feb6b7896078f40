import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '../../../accounts/people/sessions.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ServedSite } from '../sites/served-site.js';
import { AccessCookie } from './access-cookie.js';
import { AccessSeals } from './access-cookie-seals.js';
import { LiveSessions } from './live-sessions.js';
import { UsedTickets } from './used-tickets.js';

/** How long an access cookie lasts, in seconds: as a session at most. It ends sooner with the session, the role or the password. */
const PASS_SECONDS = 30 * 86_400;

/** How long a ticket is good, in milliseconds: from the service to the site's host, and no further. */
const TICKET_MS = 60_000;

/** What an access cookie says: for which host of which site, and by what the visitor was admitted. Times are milliseconds since 1970. */
type Pass = { readonly host: string; readonly siteId: string; readonly expiresAt: number } & (
  | { readonly passwordId: string }
  | { readonly userId: string; readonly sessionId: string }
);

/** Takes a member from the service to one host of one site. */
type Ticket = {
  /** Random: of two tickets that say the same, each is used once. */
  readonly id: string;
  readonly host: string;
  readonly siteId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly path: string;
  readonly expiresAt: number;
};

/** Whether a visitor may see a site that is not public, by their access cookie; and how they get one. */
@Injectable()
export class Visitors {
  readonly #cookie: AccessCookie;

  constructor(
    @Inject(AccessSeals) private readonly seals: AccessSeals,
    @Inject(UsedTickets) private readonly used: UsedTickets,
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(ServiceUrls) urls: ServiceUrls,
  ) {
    this.#cookie = new AccessCookie(urls.baseUrl);
  }

  /** Whether the `cookie` header of a request admits it now: asked for each request. */
  async canEnter(site: ServedSite, host: string, cookie: string | undefined): Promise<boolean> {
    for (const value of this.#cookie.in(cookie)) {
      const pass = this.seals.open('pass', value) as Pass | null;
      if (pass?.host !== host || pass.siteId !== site.siteId || pass.expiresAt <= Date.now()) continue;
      if ('passwordId' in pass) {
        if (site.visibility === 'password' && pass.passwordId === site.passwordId) return true;
      } else if (site.visibility === 'members' && site.members.has(pass.userId)) {
        if (await this.sessions.isLive(pass.userId, pass.sessionId)) return true;
      }
    }
    return false;
  }

  /** The `set-cookie` of a visitor who knew the password. */
  admitByPassword({ siteId }: ServedSite, host: string, passwordId: string): string {
    return this.#admit({ host, siteId, passwordId, expiresAt: Date.now() + PASS_SECONDS * 1_000 });
  }

  /** A ticket for a signed-in member to one host of the site, for `admitByTicket` there. */
  ticketFor({ siteId }: ServedSite, host: string, { userId, sessionId }: Session, path: string): string {
    const id = crypto.randomUUID();
    const ticket: Ticket = { id, host, siteId, userId, sessionId, path, expiresAt: Date.now() + TICKET_MS };
    return this.seals.seal('ticket', ticket);
  }

  /**
   * Uses a ticket up, and answers the cookie of the member who brought it and where on the site they were going; null for
   * one that is not of this host and site, was used before, or is over, and for a person who is no member any more.
   */
  async admitByTicket(site: ServedSite, host: string, sealed: string) {
    const ticket = this.seals.open('ticket', sealed) as Ticket | null;
    if (ticket === null || ticket.expiresAt <= Date.now()) return null;
    // Used wherever it is shown: a member has no reason to show it twice.
    const isFirst = await this.used.use(ticket.id, ticket.expiresAt);
    const { siteId, userId, sessionId, path } = ticket;
    if (!isFirst || ticket.host !== host || siteId !== site.siteId || !site.members.has(userId)) return null;
    const cookie = this.#admit({ host, siteId, userId, sessionId, expiresAt: Date.now() + PASS_SECONDS * 1_000 });
    return { cookie, path };
  }

  #admit = (pass: Pass) => this.#cookie.set(this.seals.seal('pass', pass), PASS_SECONDS);
}
