import { hash } from 'node:crypto';
import { html, type Markup } from '../../../edge/browser/markup.js';
import { PALETTE } from '../../../edge/http/pages/palette.js';

const STYLE =
  PALETTE +
  `*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--ground)}` +
  `main{width:100%;max-width:24rem}h1{font:600 1.6rem/1.25 Georgia,serif;margin:0 0 .5rem}p{margin:0 0 1rem;color:var(--soft);overflow-wrap:anywhere}` +
  `form{display:grid;gap:1rem;margin-top:1.5rem}label{display:grid;gap:.3rem;font-size:.9rem;color:var(--soft)}` +
  `input{font:inherit;padding:.7rem .8rem;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.5rem;width:100%}` +
  `button{font:600 1rem/1 system-ui,sans-serif;padding:.85rem 1.1rem;color:var(--on-accent);background:var(--accent);border:0;border-radius:.5rem;cursor:pointer}` +
  `a{color:var(--accent)}.bad{color:var(--failing)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** Headers of every response of the access gate, and of other pages that the service itself shows on a site's host. */
export const GATE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'origin-agent-cluster': '?1',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  // With `no-referrer`, Chromium would submit the password form with `Origin: null`, which would be refused as
  // cross-site.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  vary: 'cookie, accept, sec-fetch-mode',
};

const gatePage = (title: string, body: Markup) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.markup;

export const passwordPage = (host: string, path: string, fault: string | null) =>
  gatePage(
    'This site is password-protected',
    html`<p>Ask the person who shared ${host} with you for the password.</p>
<form method="post" action="/.stele/">
<input type="hidden" name="to" value="${path}">
${fault === null ? null : html`<p class="bad" role="alert" id="fault">${fault}</p>`}
<label>Password <input type="password" name="password" autocomplete="current-password" required autofocus${
      fault === null ? null : html` aria-invalid="true" aria-describedby="fault"`
    }></label>
<button>Open the site</button>
</form>`,
  );

export const messagePage = (title: string, text: string, next = { href: '/', text: 'Go to the site' }) =>
  gatePage(title, html`<p>${text}</p><p><a href="${next.href}">${next.text}</a></p>`);
