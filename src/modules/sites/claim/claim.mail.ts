import { html } from '../../../browser/markup.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';

/** The link in full, so that people see where it leads. */
export const claimMail = (to: string, slug: string, href: string): Message => ({
  to,
  subject: `Claim ${slug} on Stele`,
  text: `Open this address to make the site ${slug} yours. It works once, for ten minutes:

${href}

If you did not ask for this, leave it: nothing happens.
`,
  html: html`<p>Open this address to make the site <strong>${slug}</strong> yours. It works once, for ten minutes:</p>
<p><a href="${href}">${href}</a></p>
<p>If you did not ask for this, leave it: nothing happens.</p>`.markup,
});
