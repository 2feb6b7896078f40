import { Inject, Injectable } from '@nestjs/common';
import { People } from '../../../accounts/people/people.js';
import type { HostnameEvent } from '../../../events/domain.events.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { Mail, type Message } from '../../../kernel/ports/outside/mail.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { type DomainMailData, lostMail, missedMail } from './domain.mail.js';

const mailing = new BackgroundTask('mail_owners_of_domains');

/**
 * Mails the owners of a site before and after it loses a domain. The mails are only a courtesy, because the site's
 * history contains the same information. If a mail can't be sent, it is counted as failed and not sent again.
 */
@Injectable()
export class DomainMails {
  constructor(
    private readonly sites: SiteAccess,
    @Inject(People) private readonly people: Pick<People, 'findAll'>,
    private readonly mail: Mail,
  ) {}

  /** Sends the mails for events of a hostname. Never rejects. */
  async tell(hostname: string, events: readonly HostnameEvent[]): Promise<void> {
    for (const { type, data } of events) {
      if (type === 'DomainMissed')
        await this.#send(hostname, data.siteId, (to, site) => missedMail(to, { ...site, until: data.until }));
      else if (type === 'DomainLost') await this.#send(hostname, data.siteId, lostMail);
      else if (type === 'DomainActivated' && data.replaced !== null)
        await this.#send(hostname, data.replaced, lostMail);
    }
  }

  async #send(
    hostname: string,
    siteId: string,
    write: (to: string, site: Omit<DomainMailData, 'until'>) => Message,
  ): Promise<void> {
    await mailing.run(async () => {
      const site = await this.sites.find(siteId);
      if (!site) return;
      const { slug, owners } = site;
      for (const { email } of (await this.people.findAll(owners)).values())
        await this.mail.send(write(email, { hostname, slug }));
    });
  }
}
