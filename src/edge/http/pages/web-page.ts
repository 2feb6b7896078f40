import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from '../../browser/markup.js';
import { pageHeaders, strangePageHeaders } from '../api/header-sets.js';
import { readRouteOptions } from '../api/route-options.js';
import { PAGE_STYLE } from './page-style.js';

const STYLE_HASH = hash('sha256', PAGE_STYLE, 'base64');

/** Renders a page without a script, with the styles in `/assets/pages.css`. */
export const webPage = (title: string, body: Markup): string =>
  page(title, html`<link rel="stylesheet" href="/assets/pages.css">`, html`<a href="/">Stele</a>`, body);

/** Renders a page for a host that does not belong to the service and cannot serve assets, so the style is inline. */
export const strangePage = (requestId: string, baseUrl: string, title: string, body: Markup) => ({
  headers: strangePageHeaders(requestId, baseUrl, STYLE_HASH),
  page: page(title, html`<style>${{ markup: PAGE_STYLE }}</style>`, html`<a href="${baseUrl}/">Stele</a>`, body),
});

const page = (title: string, style: Markup, home: Markup, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Stele</title>
${style}
</head>
<body>
<header>${home}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.markup;

export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  /(^|[\s,])text\/html([\s;,]|$)/i.test(headers.accept ?? '');

export const sendPage = (request: FastifyRequest, reply: FastifyReply, baseUrl: string, page: string, status = 200) =>
  send(reply, pageHeaders(request.id, baseUrl, readRouteOptions(request.routeOptions).page === 'live'), page, status);

/** Sends a page that is the same for everyone, with `kept` as its `cache-control` header. */
export function sendKeptPage(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  { page, kept }: { readonly page: string; readonly kept: string },
) {
  const headers = { ...pageHeaders(request.id, baseUrl), 'cache-control': kept };
  return send(reply, headers, page, 200, 'accept');
}

/** Sends a page to a browser that used a host name other than the service’s. */
export function sendStrangePage(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  { title, body, status }: { readonly title: string; readonly body: Markup; readonly status: number },
) {
  const { headers, page } = strangePage(request.id, baseUrl, title, body);
  return send(reply, headers, page, status);
}

function send(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  page: string,
  status: number,
  vary = 'accept, cookie',
) {
  for (const name of ['access-control-allow-origin', 'access-control-expose-headers']) void reply.removeHeader(name);
  return reply
    .status(status)
    .headers({ ...headers, 'content-type': 'text/html; charset=utf-8', vary })
    .send(page);
}
