import { html } from '../../../edge/browser/markup.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';

/**
 * The mail shows the full sign-in link, so that recipients see where it leads. The code is for signing in on another
 * device.
 */
export const signInMail = (to: string, href: string, code: string): Message => ({
  to,
  subject: `Sign in to Stele: ${code.slice(0, 4)}-${code.slice(4)}`,
  text: `Open this link to sign in. It works once and expires in 10 minutes:

${href}

Or enter this code where you started signing in: ${code.slice(0, 4)}-${code.slice(4)}

If you didn’t request this email, you can ignore it.
`,
  html: html`<p>Open this link to sign in. It works once and expires in 10 minutes:</p>
<p><a href="${href}">${href}</a></p>
<p>Or enter this code where you started signing in: <strong>${code.slice(0, 4)}-${code.slice(4)}</strong></p>
<p>If you didn’t request this email, you can ignore it.</p>`.markup,
});
