import { html } from '../../../edge/browser/markup.js';
import { webPage } from '../../../edge/http/pages/web-page.js';
import { WORDS } from '../consent/consent.page.js';
import type { GrantShown } from './grant-entry.js';

export const grantsPage = (items: readonly GrantShown[]): string =>
  webPage(
    'Connected apps',
    html`${items.length === 0 ? html`<p>No apps can act for you. An app has to ask you first, in your browser.</p>` : items.map(entry)}
<p class="soft"><a href="/sites">Your sites</a></p>`,
  );

const entry = ({ id, client, scopes, sites, lastUsedAt, expiresAt }: GrantShown) => html`<article>
<h2>${client.name}</h2>
<p>It can ${scopes.map((scope) => WORDS[scope]).join('; ')}.</p>
<p>${sites === null ? 'On all of your sites, including future ones.' : `On ${sites.length === 0 ? 'sites that no longer exist' : sites.join(', ')}.`}</p>
<p class="soft">Last used <time datetime="${lastUsedAt}">${lastUsedAt.slice(0, 10)}</time>. If the app isn’t used again, its access expires on <time datetime="${expiresAt}">${expiresAt.slice(0, 10)}</time>.</p>
<form method="post" action="/programs/${id}/end"><button class="quiet">Revoke access for ${client.name}</button></form>
</article>`;
