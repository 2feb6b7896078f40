import { html } from '../../../browser/markup.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';

/** The link in full, so that people see where it leads, and the code for another device. */
export const signInMail = (to: string, href: string, code: string): Message => ({
  to,
  subject: `Sign in to Stele: ${code.slice(0, 4)}-${code.slice(4)}`,
  text: `Open this address to sign in. It works once, for ten minutes:

${href}

Or type this code where you asked for it: ${code.slice(0, 4)}-${code.slice(4)}

If you did not ask for this, leave it: nothing happens.
`,
  html: html`<p>Open this address to sign in. It works once, for ten minutes:</p>
<p><a href="${href}">${href}</a></p>
<p>Or type this code where you asked for it: <strong>${code.slice(0, 4)}-${code.slice(4)}</strong></p>
<p>If you did not ask for this, leave it: nothing happens.</p>`.markup,
});
