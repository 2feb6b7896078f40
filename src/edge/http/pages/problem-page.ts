import type { FastifyReply, FastifyRequest } from 'fastify';
import { plural } from '../../../kernel/output/quantities.js';
import type { Refusal, RefusalCode } from '../../../kernel/refusal.js';
import { html, type Markup } from '../../browser/markup.js';
import { readRouteOptions } from '../api/route-options.js';
import { ReturnCookie } from '../auth/cookies/return-cookie.js';
import { problems } from '../problems/problem.js';
import { sendPage, sendStrangePage, webPage } from './web-page.js';

type PageWords = { readonly title?: string; readonly next?: Markup };

/** Titles and next steps for pages, used where those for API clients would not help a person. */
const forPeople: Partial<Record<RefusalCode, PageWords>> = {
  invalid_token: {
    title: 'That did not work',
    next: html`<p>Go back to where you started and request a new link, or <a href="/sign-in">sign in</a>.</p>`,
  },
  unauthenticated: { title: 'Sign in first', next: html`<p><a href="/sign-in">Sign in</a></p>` },
  invalid_request: { title: 'This request is not valid' },
  not_found: { title: 'Page not found', next: html`<p><a href="/sites">Your sites</a></p>` },
  site_not_found: { next: html`<p>Check the URL for typos.</p>` },
  job_not_found: { next: html`<p>Check the URL for typos.</p>` },
  deploy_not_found: { next: html`<p>Check the URL for typos.</p>` },
  edit_token_invalid: { next: html`<p>You can find the edit token in the response to the site’s first deploy.</p>` },
  cross_origin: { next: html`<p><a href="/sites">Go to your sites</a></p>` },
};

/** Refusals that may hide a private resource from signed-out users. Private and missing resources look the same. */
const MAY_BE_PRIVATE = new Set<RefusalCode>(['site_not_found', 'job_not_found', 'deploy_not_found']);

/**
 * Sends a refusal as a page. If the link that the user opened has expired, the page shows the route’s `anotherLink`,
 * which explains how to get a new link.
 */
export function sendProblemPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, baseUrl: string) {
  const { status, title, detail } = problems[refusal.code];
  if (refusal.code === 'wrong_host') {
    const body = html`<p>${refusal.detail ?? detail}</p>
<p>You can reach this service at <a href="${baseUrl}/">${baseUrl}</a>.</p>`;
    return sendStrangePage(request, reply, baseUrl, { title, body, status });
  }
  const words = forPeople[refusal.code];
  const { anotherLink } = readRouteOptions(request.routeOptions);
  const next = refusal.code === 'invalid_token' && anotherLink ? html`<p>${anotherLink}</p>` : (words?.next ?? null);
  const isHidden = MAY_BE_PRIVATE.has(refusal.code) && request.session === null;
  if ((isHidden || refusal.code === 'unauthenticated') && request.method === 'GET' && !request.is404)
    new ReturnCookie(baseUrl).setIfPossible(reply, request.url.split('?', 1)[0] ?? '/');
  if (status === 503 && !reply.hasHeader('retry-after')) void reply.header('retry-after', '5');
  const body = html`<p>${refusal.detail ?? detail}</p>
${status === 429 ? html`<p>${comeBack(Number(reply.getHeader('retry-after')))}</p>` : null}
${next}
${isHidden ? html`<p>If this belongs to one of your private sites, <a href="/sign-in">sign in</a> to see it.</p>` : null}`;
  return sendPage(request, reply, baseUrl, webPage(words?.title ?? title, body), status);
}

export function sendUnexpectedPage(request: FastifyRequest, reply: FastifyReply, baseUrl: string) {
  const body = html`<p>This is our fault, not yours. The error was logged under the ID <code>${request.id}</code>.</p>`;
  return sendPage(request, reply, baseUrl, webPage('Something went wrong', body), 500);
}

function comeBack(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds > 0 ? `Try again in ${plural(minutes, 'minute')}.` : 'Try again later.';
}
