import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { evaluate, type RequestFields } from '../conditions/preconditions.js';
import { page, REVALIDATE } from '../responses/short-responses.js';
import type { ServedSite } from '../sites/served-site.js';
import type { Target } from '../sites/target.js';

type ScriptPart = { readonly text: string; readonly etag: string; readonly type: string };

/** Built files of the connector script (`tools/set-up/bundle.ts`) and their media types, by URL path. */
const FILES: Readonly<Record<string, readonly [string, string]>> = {
  '.stele/connector.js': ['connector.min.js', 'text/javascript'],
  '.stele/connector.d.ts': ['connector.d.ts', 'text/plain'],
};

/**
 * Reports whether a request is for the connector script, which lets a site's pages send work to agents, or for its type
 * declarations.
 */
export const isForConnectorScript = ({ form, path }: Target): boolean =>
  form !== 'path' && Object.hasOwn(FILES, path ?? '');

/** Serves the connector script on hosts of sites whose connector is enabled, to visitors who can see the site. */
@Injectable()
export class ConnectorScript {
  readonly #parts = new Map<string, Promise<ScriptPart>>();

  async answer(
    { method }: IncomingMessage,
    response: ServerResponse,
    fields: RequestFields,
    { capabilities }: ServedSite,
    { path }: Target,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (!capabilities.connector)
      return page(response, 404, headers, 'Page not found', 'The connector is not enabled for this site.');
    if (method !== 'GET' && method !== 'HEAD')
      return page(
        response,
        405,
        { ...headers, allow: 'GET, HEAD' },
        'Method not allowed',
        'This file only supports GET and HEAD requests.',
      );
    const { text, etag, type } = await this.#part(path ?? '');
    const head = { 'cache-control': REVALIDATE, ...headers, etag };
    const outcome = evaluate(fields, { etags: [etag], modifiedAt: null });
    if (outcome !== 'go') return void response.writeHead(outcome === 'failed' ? 412 : 304, head).end();
    response.writeHead(200, {
      ...head,
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(text),
    });
    response.end(method === 'HEAD' ? undefined : text);
  }

  #part(path: string): Promise<ScriptPart> {
    const part = this.#parts.get(path) ?? read(path);
    this.#parts.set(path, part);
    part.catch(() => this.#parts.delete(path));
    return part;
  }
}

async function read(path: string): Promise<ScriptPart> {
  const [name, type] = FILES[path] ?? ['', ''];
  const text = await readFile(new URL(`../../../edge/browser/${name}`, import.meta.url), 'utf8');
  return { text, etag: `"${hash('sha256', text).slice(0, 16)}"`, type };
}
