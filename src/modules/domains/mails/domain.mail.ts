import { html } from '../../../browser/markup.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';

export type DomainMailData = {
  readonly hostname: string;
  readonly slug: string;
  /** When it is lost (RFC 3339), as its records are gone. */
  readonly until: string;
};

/** Before a domain is lost: what is missing is said by a check, as it is now. */
export const missedMail = (to: string, { hostname, slug, until }: DomainMailData): Message => ({
  to,
  subject: `${hostname} is about to be lost`,
  text: `The DNS records by which ${hostname} shows your site ${slug} are gone, or lead elsewhere.

Put them back, and all stays as it is. Otherwise ${hostname} shows the site no more from ${plain(until)} on. The site’s domains say which records are missing.

If you have taken them out yourself, leave it.
`,
  html: html`<p>The DNS records by which <strong>${hostname}</strong> shows your site <strong>${slug}</strong> are gone, or lead elsewhere.</p>
<p>Put them back, and all stays as it is. Otherwise ${hostname} shows the site no more from ${plain(until)} on. The site’s domains say which records are missing.</p>
<p>If you have taken them out yourself, leave it.</p>`.markup,
});

/** After it was lost. */
export const lostMail = (to: string, { hostname, slug }: Omit<DomainMailData, 'until'>): Message => ({
  to,
  subject: `${hostname} is lost`,
  text: `${hostname} shows your site ${slug} no more: its DNS records were gone for 72 hours, or name another site now.

To have it back, add it to the site again, and set the records that are answered then.
`,
  html: html`<p><strong>${hostname}</strong> shows your site <strong>${slug}</strong> no more: its DNS records were gone for 72 hours, or name another site now.</p>
<p>To have it back, add it to the site again, and set the records that are answered then.</p>`.markup,
});

/** `2026-11-23T12:00:00.000Z` as `2026-11-23 12:00 UTC`. */
const plain = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
