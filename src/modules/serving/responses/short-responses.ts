import type { ServerResponse } from 'node:http';
import { plainPage } from './plain-page.js';

export const REVALIDATE = 'public, max-age=0, must-revalidate';

export function page(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  title: string,
  text: string,
) {
  const body = plainPage(status, title, text);
  response
    .writeHead(status, {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}

/** A `cache-control` in `headers` overrides the default. */
export function redirect(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  location: string,
) {
  response
    .writeHead(status, {
      'cache-control': REVALIDATE,
      ...headers,
      location,
      'content-length': 0,
    })
    .end();
}
