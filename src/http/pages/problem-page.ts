import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from '../../browser/markup.js';
import type { Refusal, RefusalCode } from '../../kernel/refusal.js';
import { optionsOf } from '../api/route-options.js';
import { problems } from '../problems/problem.js';
import { sendPage, sendStrangePage, webPage } from './web-page.js';

type PageWords = { readonly title?: string; readonly next?: Markup };

/** Titles and next steps for people, where the texts for programs would not help them. */
const forPeople: Partial<Record<RefusalCode, PageWords>> = {
  invalid_token: {
    title: 'That did not work',
    next: html`<p>Ask for a new one where you asked for this one, or <a href="/sign-in">sign in</a>.</p>`,
  },
  unauthenticated: { title: 'Sign in first', next: html`<p><a href="/sign-in">Sign in</a></p>` },
  invalid_request: { title: 'That was not understood' },
  not_found: { next: html`<p><a href="/sites">Your sites</a></p>` },
  site_not_found: { next: html`<p>Look at the address again: a letter may be missing.</p>` },
  edit_token_invalid: { next: html`<p>It is in the answer to the site’s first deploy.</p>` },
  cross_origin: { next: html`<p><a href="/sites">Go on from here</a></p>` },
};

/**
 * Sends a refusal as a page, for a route that people open in a browser. A route whose links come from elsewhere than
 * our own pages says in its options how to get another one (`anotherLink`).
 */
export function sendProblemPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, baseUrl: string) {
  const { status, title } = problems[refusal.code];
  if (refusal.code === 'wrong_host') {
    const body = html`<p>${refusal.detail ?? title}</p>
<p>It does for <a href="${baseUrl}/">${baseUrl}</a>.</p>`;
    return sendStrangePage(request, reply, baseUrl, { title, body, status });
  }
  const words = forPeople[refusal.code];
  const { anotherLink } = optionsOf(request.routeOptions);
  const next = refusal.code === 'invalid_token' && anotherLink ? html`<p>${anotherLink}</p>` : (words?.next ?? null);
  if (status === 503 && !reply.hasHeader('retry-after')) void reply.header('retry-after', '5');
  const body = html`${refusal.detail ? html`<p>${refusal.detail}</p>` : null}
${status === 429 ? html`<p>${comeBack(Number(reply.getHeader('retry-after')))}</p>` : null}
${next}`;
  return sendPage(request, reply, baseUrl, webPage(words?.title ?? title, body), status);
}

/** Sends the page for an unexpected error, with the id under which it was logged. */
export function sendUnexpectedPage(request: FastifyRequest, reply: FastifyReply, baseUrl: string) {
  const body = html`<p>The fault is on this side. It was logged as <code>${request.id}</code>.</p>`;
  return sendPage(request, reply, baseUrl, webPage('Something went wrong here', body), 500);
}

function comeBack(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds > 0 ? `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.` : 'Try again later.';
}
