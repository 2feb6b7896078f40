import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../api/header-sets.js';

/** Markup that is safe to send: made by `html` only. */
export type Markup = { readonly markup: string };

const isMarkup = (value: unknown): value is Markup => typeof value === 'object' && value !== null && 'markup' in value;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

type MarkupPart = string | number | null | Markup | readonly Markup[];

/** A template of HTML. Values are escaped, unless they were made by `html` too. */
export function html(texts: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return { markup: String.raw({ raw: texts }, ...parts.map(markupOf)) };
}

function markupOf(part: MarkupPart): string {
  if (part === null) return '';
  if (isMarkup(part)) return part.markup;
  return typeof part === 'object' ? part.map(({ markup }) => markup).join('\n') : escaped(String(part));
}

/** One of the service’s own pages: plain, without scripts, in one style (`/assets/pages.css`). */
export const webPage = (title: string, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Stele</title>
<link rel="stylesheet" href="/assets/pages.css">
</head>
<body>
<header><a href="/sites">Stele</a></header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.markup;

/** Whether a request prefers a page, as browsers do: its `Accept` names `text/html`. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  /(^|[\s,])text\/html([\s;,]|$)/i.test(headers.accept ?? '');

/** Sends a page, with the strict headers of our own pages. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, baseUrl: string, page: string, status = 200) {
  for (const name of ['access-control-allow-origin', 'access-control-expose-headers']) void reply.removeHeader(name);
  return reply
    .status(status)
    .headers({
      ...pageHeaders(request.id, baseUrl),
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept, cookie',
    })
    .send(page);
}
