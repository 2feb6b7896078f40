import { html } from '../../../browser/markup.js';
import { webPage } from '../../../http/pages/web-page.js';

export const WRONG_CODE = 'This code is wrong, was used before, or its time is over.';

const codeForm = (email: string) => html`<form method="post" action="/v1/auth/code">
<input type="hidden" name="email" value="${email}">
<label>Code <input name="code" autocomplete="one-time-code" autocapitalize="characters" required minlength="8" maxlength="12"></label>
<button>Sign in</button>
</form>`;

export const sentPage = (email: string) =>
  webPage(
    'Look into your mail',
    html`<p>A link to sign in is on its way to <strong>${email}</strong>. It works once, for ten minutes.</p>
<p>Reading the mail on another device? Type the code that is in it:</p>
${codeForm(email)}`,
  );

/** Asks for the code again at once: going back to the form would mean another mail, and waiting for it. */
export const wrongCodePage = (email: string) =>
  webPage(
    'That did not work',
    html`<p>${WRONG_CODE} Compare it with the newest mail to <strong>${email}</strong>:</p>
${codeForm(email)}
<p>After five wrong ones none from that mail counts. <a href="/sign-in">Ask for another mail</a></p>`,
  );
