import { html } from '../../../../edge/browser/markup.js';
import type { Message } from '../../../../kernel/ports/outside/mail.js';

/** The full link is visible, so that recipients see where it leads. */
export const claimMail = (to: string, slug: string, href: string): Message => ({
  to,
  subject: `Claim ${slug} on Stele`,
  text: `Open this link to become the owner of the site ${slug}. It works once and expires in ten minutes:

${href}

If you did not request this, you can ignore this email.
`,
  html: html`<p>Open this link to become the owner of the site <strong>${slug}</strong>. It works once and expires in ten minutes:</p>
<p><a href="${href}">${href}</a></p>
<p>If you did not request this, you can ignore this email.</p>`.markup,
});
