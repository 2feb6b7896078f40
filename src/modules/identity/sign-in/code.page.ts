import { html } from '../../../edge/browser/markup.js';
import { webPage } from '../../../edge/http/pages/web-page.js';

export const OUTBOX_HINT = html`<p>This service has no mail server. Find the email in its <a href="/dev/outbox">outbox</a>.</p>
`;

export const WRONG_CODE = 'This code is wrong, has expired or was already used.';

const codeForm = (email: string) => html`<form method="post" action="/v1/auth/code">
<input type="hidden" name="email" value="${email}">
<label>Code <input name="code" autocomplete="one-time-code" autocapitalize="characters" required minlength="8" maxlength="12"></label>
<button>Sign in</button>
</form>`;

export const sentPage = (email: string, { isInOutbox }: { readonly isInOutbox: boolean }) =>
  webPage(
    'Check your inbox',
    html`<p>We sent a sign-in link to <strong>${email}</strong>. It works once and expires in 10 minutes.</p>
${isInOutbox ? OUTBOX_HINT : null}<p>Reading the email on another device? Enter its code here:</p>
${codeForm(email)}`,
  );

/**
 * Renders a page that asks for the code again after a wrong one. Without this page, the user would have to return to
 * the sign-in form and wait for another mail.
 */
export const wrongCodePage = (email: string) =>
  webPage(
    'Sign-in failed',
    html`<p>${WRONG_CODE} Use the code from the most recent email to <strong>${email}</strong>:</p>
${codeForm(email)}
<p>After 5 wrong codes, the codes sent so far stop working. <a href="/sign-in">Send me another email</a></p>`,
  );
