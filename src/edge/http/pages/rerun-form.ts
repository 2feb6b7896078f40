import { html, type Markup } from '../../browser/markup.js';

export const rerunForm = (slug: string): Markup =>
  html`<form method="post" action="/v1/sites/${slug}/rerun"><button class="quiet">Run again</button></form>`;
