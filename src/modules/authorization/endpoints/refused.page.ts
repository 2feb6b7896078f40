import { html } from '../../../browser/markup.js';
import { webPage } from '../../../http/pages/web-page.js';
import { placeOf } from '../redirect-place.js';

/** A request that is refused: the news goes to the program only if the person wants to go there. */
export function refusedPage(location: string): string {
  const { search, hash } = new URL(location);
  const told = new URLSearchParams(search.includes('error=') ? search : hash.slice(1));
  const [error, description] = [told.get('error') ?? 'error', told.get('error_description')];
  return webPage(
    'That was not understood',
    html`<p>A program asked to act for you, in a way that is refused${description === null ? null : html`: ${description}`} (<code>${error}</code>).</p>
<p>Nothing was given to it. It is told so if you <a href="${location}" rel="noreferrer">go on to ${placeOf(location)}</a>.</p>`,
  );
}
