import type { Person } from '../../../accounts/people/people.js';
import { html, type Markup } from '../../../edge/browser/markup.js';
import { webPage } from '../../../edge/http/pages/web-page.js';
import type { OAuthScope } from '../../../kernel/ports/oauth-grants.js';
import type { PendingConsent } from '../../../kernel/ports/outside/authorization-server.js';
import { describeRedirect } from '../redirect-place.js';
import type { ChoosableSite } from './choosable-sites.js';

/** The form field for a site is named with this prefix, followed by the site's ID. */
export const SITE_FIELD = 'site-';

/** Descriptions of scopes. Each completes a sentence on the consent page. */
export const WORDS: Readonly<Record<OAuthScope, string>> = {
  read: 'read your sites, including their files, history, members and logs',
  publish:
    'deploy to your sites and roll them back. Builds that it starts receive none of your sites’ secrets, except builds of a linked repository',
  manage:
    'do almost anything an owner can, including renaming, sharing and deleting your sites and changing who can see them, but not link a repository or give secrets to builds of its choosing',
};

type ConsentQuestion = {
  readonly person: Person;
  readonly pending: PendingConsent;
  readonly sites: readonly ChoosableSite[];
  readonly action: string;
};

export function consentPage({ person, pending, sites, action }: ConsentQuestion): string {
  const { clientName, documentHost, redirectUri, scopes } = pending;
  const facts = [
    fact('App', html`${clientName} <span class="soft">The app chose this name itself.</span>`),
    fact(
      'From',
      documentHost === null
        ? html`unknown <span class="soft">The app registered itself, and nobody has verified it.</span>`
        : html`<strong>${documentHost}</strong> <span class="soft">The app is published by this host.</span>`,
    ),
    fact('Returns to', html`<strong>${describeRedirect(redirectUri)}</strong>`),
    fact('Permissions', html`<ul>${scopes.map((scope) => html`<li>${WORDS[scope]}</li>`)}</ul>`),
  ];
  return webPage(
    'Allow an app to act for you?',
    html`<p><strong>${clientName}</strong> wants to act as <strong>${person.email}</strong>, even when you are not signed in.</p>
<dl class="facts">${facts}</dl>
<p>Only allow a request that you have just started yourself. If someone else sent you to this page, deny it.</p>
<form method="post" action="${action}">
<input type="hidden" name="as" value="${person.userId}">
${choice(sites)}
<div class="choices">
<button name="decision" value="approve">Allow</button>
<button class="quiet" name="decision" value="deny">Deny</button>
</div>
<p class="soft">You can revoke access at any time under <a href="/programs">Connected apps</a>. Not you? <button class="link" name="decision" value="other">Sign in as someone else</button></p>
</form>`,
  );
}

const fact = (name: string, value: Markup): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function choice(sites: readonly ChoosableSite[]): Markup | null {
  if (sites.length === 0) return null;
  return html`<fieldset>
<legend>On which sites?</legend>
<label class="pick"><input type="radio" name="sites" value="all" checked> All of my sites, including future ones</label>
<label class="pick"><input type="radio" name="sites" value="chosen"> Only these:</label>
${sites.map(
  ({ siteId, slug, role }) =>
    html`<label class="pick inner"><input type="checkbox" name="${SITE_FIELD}${siteId}" value="on"> ${slug} (${role})</label>`,
)}
</fieldset>`;
}

/**
 * Renders the page after the user's decision. It is shown while the browser is redirected to the app, and stays if the
 * app can't be reached.
 */
export function decidedPage(allowed: boolean, { clientName, redirectUri }: PendingConsent, next: string): string {
  const place = describeRedirect(redirectUri);
  return webPage(
    allowed ? 'Allowed' : 'Denied',
    html`<p>${allowed ? html`<strong>${clientName}</strong> can now act for you.` : html`<strong>${clientName}</strong> can’t act for you.`}</p>
<p class="soft">If nothing happens, <a href="${next}">continue</a> to ${place}.</p>`,
  );
}
