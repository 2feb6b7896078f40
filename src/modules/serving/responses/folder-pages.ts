import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import type { Manifest } from '../../../storage/blobs/manifest.js';
import { evaluate, type RequestFields } from '../conditions/preconditions.js';
import { type FolderListing, folderPage } from './folder-page.js';

/**
 * Maximum total size of cached folder listings, in bytes. A folder can have as many files as a deploy, and any visitor
 * can request its listing.
 */
const CAPACITY = 16 * 1024 * 1024;
const STALLED_MS = 20_000;

type CachedPage = { readonly body: Buffer; readonly etag: string };

/** Responds with folder listings, each rendered at most once per manifest while it is cached. */
@Injectable()
export class FolderPages {
  readonly #kept = new LRUCache<string, CachedPage>({
    maxSize: CAPACITY,
    // `lru-cache` does not store values larger than its capacity. Cap the reported size, so that a larger page is
    // stored too and fills the whole cache.
    sizeCalculation: ({ body }) => Math.min(body.length, CAPACITY),
  });

  /**
   * Sends the listing of a folder. `headers` contains all headers except those that depend on the bytes of the page.
   */
  send(
    { method }: IncomingMessage,
    response: ServerResponse,
    fields: RequestFields,
    headers: Readonly<Record<string, string | number>>,
    folder: FolderListing,
    manifest: Manifest,
  ): void {
    const { body, etag } = this.#page(folder, manifest);
    const verdict = evaluate(fields, { etags: [etag], modifiedAt: null });
    const { 'content-type': type, ...rest } = headers;
    if (verdict === 'failed') return void response.writeHead(412, { ...rest, 'content-length': 0 }).end();
    if (verdict !== 'go') return void response.writeHead(304, { ...rest, etag }).end();
    const about = { etag, ...(type !== undefined && { 'content-type': String(type) }), 'content-length': body.length };
    response.writeHead(200, { ...rest, ...about });
    if (method === 'HEAD') return void response.end();
    response.end(body);
    enforceWriteTimeout(response, STALLED_MS);
  }

  #page(folder: FolderListing, manifest: Manifest): CachedPage {
    const key = `${manifest.digest} ${folder.slug} ${folder.path}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const body = Buffer.from(folderPage(folder, manifest));
    const page = { body, etag: `"${hash('sha256', body).slice(0, 32)}"` };
    this.#kept.set(key, page);
    return page;
  }
}
