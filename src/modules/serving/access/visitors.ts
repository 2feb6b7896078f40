import { Injectable } from '@nestjs/common';
import type { Session } from '../../../accounts/people/sessions.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ServedSite } from '../sites/served-site.js';
import { AccessCookie } from './access-cookie.js';
import { AccessSeals } from './access-cookie-seals.js';
import { LiveSessions } from './live-sessions.js';
import { UsedTickets } from './used-tickets.js';

/** Maximum lifetime of an access cookie, equal to that of a session. */
const PASS_SECONDS = 30 * 86_400;

/** Lifetime of a ticket, which is needed only for the redirect from the service to the site's host. */
const TICKET_MS = 60_000;

/** Content of an access cookie. Times are in milliseconds since 1970. */
type Pass = { readonly host: string; readonly siteId: string; readonly expiresAt: number } & (
  | { readonly passwordId: string }
  | { readonly userId: string; readonly sessionId: string }
);

/** A ticket, which admits a member to one host of one site. */
type Ticket = {
  /** A random ID that distinguishes tickets with equal content, because each ticket can be used only once. */
  readonly id: string;
  readonly host: string;
  readonly siteId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly path: string;
  readonly expiresAt: number;
};

/** Issues and checks access cookies, which admit a visitor to a site that is not public. */
@Injectable()
export class Visitors {
  readonly #cookie: AccessCookie;

  constructor(
    private readonly seals: AccessSeals,
    private readonly used: UsedTickets,
    private readonly sessions: LiveSessions,
    urls: ServiceUrls,
  ) {
    this.#cookie = new AccessCookie(urls.baseUrl);
  }

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

  /** Returns the `set-cookie` value for a visitor who entered the correct password. */
  admitByPassword({ siteId }: ServedSite, host: string, passwordId: string): string {
    return this.#admit({ host, siteId, passwordId, expiresAt: Date.now() + PASS_SECONDS * 1_000 });
  }

  /** Returns a ticket for a signed-in member. `admitByTicket` accepts it on the given host. */
  ticketFor({ siteId }: ServedSite, host: string, { userId, sessionId }: Session, path: string): string {
    const id = crypto.randomUUID();
    const ticket: Ticket = { id, host, siteId, userId, sessionId, path, expiresAt: Date.now() + TICKET_MS };
    return this.seals.seal('ticket', ticket);
  }

  /**
   * Uses up a ticket. Returns the member's cookie and the requested path, or null if the ticket is for another host or
   * site, was used or has expired, or if the user is no longer a member.
   */
  async admitByTicket(site: ServedSite, host: string, sealed: string) {
    const ticket = this.seals.open('ticket', sealed) as Ticket | null;
    if (ticket === null || ticket.expiresAt <= Date.now()) return null;
    // Use up the ticket even if the checks below fail: no visitor has a reason to send the same ticket again.
    const isFirst = await this.used.use(ticket.id, ticket.expiresAt);
    const { siteId, userId, sessionId, path } = ticket;
    if (!isFirst || ticket.host !== host || siteId !== site.siteId || !site.members.has(userId)) return null;
    const cookie = this.#admit({ host, siteId, userId, sessionId, expiresAt: Date.now() + PASS_SECONDS * 1_000 });
    return { cookie, path };
  }

  #admit = (pass: Pass) => this.#cookie.set(this.seals.seal('pass', pass), PASS_SECONDS);
}
