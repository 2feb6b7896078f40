import { html } from '../../../edge/browser/markup.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';

export type DomainMailData = {
  readonly hostname: string;
  readonly slug: string;
  /** Time at which the domain will be lost unless its records are restored (RFC 3339). */
  readonly until: string;
};

/**
 * Warns an owner that a domain's DNS records are missing. The mail does not say which ones, because that can change
 * before it is read; the list of domains shows the current state.
 */
export const missedMail = (to: string, { hostname, slug, until }: DomainMailData): Message => ({
  to,
  subject: `${hostname} will soon stop showing your site`,
  text: `The DNS records that connect ${hostname} to your site ${slug} are missing or point elsewhere.

Restore them by ${plain(until)} to keep the domain; after that, it will no longer show the site. The site’s list of domains shows which records are missing.

If you removed the records yourself, you don’t need to do anything.
`,
  html: html`<p>The DNS records that connect <strong>${hostname}</strong> to your site <strong>${slug}</strong> are missing or point elsewhere.</p>
<p>Restore them by ${plain(until)} to keep the domain; after that, it will no longer show the site. The site’s list of domains shows which records are missing.</p>
<p>If you removed the records yourself, you don’t need to do anything.</p>`.markup,
});

export const lostMail = (to: string, { hostname, slug }: Omit<DomainMailData, 'until'>): Message => ({
  to,
  subject: `${hostname} no longer shows your site`,
  text: `${hostname} no longer shows your site ${slug}: its DNS records were missing for 72 hours or now point to another site.

To reconnect it, add the domain to the site again and set the new DNS records.
`,
  html: html`<p><strong>${hostname}</strong> no longer shows your site <strong>${slug}</strong>: its DNS records were missing for 72 hours or now point to another site.</p>
<p>To reconnect it, add the domain to the site again and set the new DNS records.</p>`.markup,
});

/** Formats `2026-11-23T12:00:00.000Z` as `2026-11-23 12:00 UTC`. */
const plain = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
