import { html } from '../../../edge/browser/markup.js';
import { webPage } from '../../../edge/http/pages/web-page.js';
import { describeRedirect } from '../redirect-place.js';
import { explainError } from './explain-error.js';

/**
 * Renders the page for a rejected authorization request. The error is passed on to the app only if the user follows the
 * link.
 */
export function refusedPage(location: string): string {
  const { search, hash } = new URL(location);
  const told = new URLSearchParams(search.includes('error=') ? search : hash.slice(1));
  const error = told.get('error') ?? 'error';
  return webPage(
    'The app’s request was rejected',
    html`<p>An app asked to act for you, but its request was rejected. ${explainError(error)} (<code>${error}</code>)</p>
<p>The app was not given access. To let it know, <a href="${location}" rel="noreferrer">continue to ${describeRedirect(location)}</a>.</p>`,
  );
}
