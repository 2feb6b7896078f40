import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BlobStore } from '../../blobs/blob-store.js';
import type { ManifestFile } from '../../blobs/manifest.js';
import { Addresses } from '../../edge/addresses.js';
import { contentType } from '../../edge/content-type.js';
import { type Destination, hostsOf } from '../../edge/hosts.js';
import { wantsWebSocket } from '../../edge/web-socket.js';
import { Manifests } from './manifests.js';
import { matchesEtag } from './matches-etag.js';
import { plainPage } from './plain-page.js';
import { Previews } from './previews.js';
import { resolve } from './rules/resolve.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { type ChosenHeaders, headersFor } from './rules/site-rules.js';
import { withChosenHeaders } from './rules/with-chosen-headers.js';
import { ServingIndex } from './serving-index.js';
import { type Form, siteHeaders } from './site-headers.js';
import { targetOf } from './target.js';

/** Contents up to this size are read, checked and sent in one piece. */
const WHOLE = 1_048_576;

const NO_PAGE = ['Page not found', 'The site has no such page.'] as const;
const GONE_PAGE = ['This page is gone', 'The site has had it, and has it no more.'] as const;

/** How a file is sent, apart from what it is. */
type Sent = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly form: Form;
  readonly chosen: ChosenHeaders;
};

type Shown = {
  readonly form: Form;
  readonly manifest: string | null;
  readonly noindex: boolean;
  readonly prefix: string;
  readonly path: string;
  readonly query: string;
};

/** Answers visitors of hosted sites, in front of the framework: host → site → manifest → content. */
@Injectable()
export class SiteServer {
  readonly #log = new Logger('Serving');
  readonly #destination: (host: string | undefined) => Destination;

  constructor(
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(Previews) private readonly previews: Previews,
    @Inject(Manifests) private readonly manifests: Manifests,
    @Inject(RulesOfSites) private readonly rules: RulesOfSites,
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {
    this.#destination = hostsOf(addresses);
  }

  /** Takes requests for sites, by host or by path; leaves everything else. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const target = targetOf(this.#destination(request.headers.host), request.url ?? '/');
    if (!target) return false;

    this.#serve(request, response, target).catch((error) => {
      this.#log.error(
        `${request.method} ${request.headers.host} ${target.path}`,
        error instanceof Error ? error.stack : error,
      );
      if (response.headersSent) response.destroy();
      else
        page(
          response,
          500,
          siteHeaders(target.form, true),
          'Something went wrong',
          'The fault is on this side. Try again shortly.',
        );
    });
    return true;
  };

  async #serve(request: IncomingMessage, response: ServerResponse, target: NonNullable<ReturnType<typeof targetOf>>) {
    const { form, prefix, path, query } = target;
    // Nothing is uploaded to a site: a body is not waited for.
    request.resume();
    const refused = siteHeaders(form, true);
    if (form === 'path' && request.headers['service-worker'] !== undefined) {
      return page(
        response,
        403,
        refused,
        'No service workers here',
        'A site under this address may not install one. Its own address allows it.',
      );
    }
    if (wantsWebSocket(request.headers)) {
      return page(response, 404, refused, 'No WebSocket here', 'A site only shows pages.');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return page(response, 405, { ...refused, allow: 'GET, HEAD' }, 'Not allowed', 'A site only shows pages.');
    }
    if (path === null)
      return page(response, 400, refused, 'Malformed address', 'This address is not encoded as addresses are.');
    if (target.slash) return redirect(response, 308, refused, `${prefix}${query}`);

    const site = await this.#find(target);
    if (!site)
      return page(response, 404, refused, 'There is no site here', 'Nothing has been published at this address.');
    if (site.takenDown) {
      const blockedBy = { ...refused, link: `<${this.addresses.baseUrl}>; rel="blocked-by"` };
      return page(response, 451, blockedBy, 'Taken down', 'The operator of this service has taken this site down.');
    }
    if (site.expiresAt !== null && site.expiresAt <= Date.now()) {
      return page(response, 410, refused, 'This site is gone', 'It was put here for a time, and the time is over.');
    }
    return this.#show(request, response, { form, prefix, path, query, ...site });
  }

  async #find(target: NonNullable<ReturnType<typeof targetOf>>) {
    if (target.deployId === null) {
      const site = this.index.site(target.slug ?? '');
      return site && { ...site, noindex: site.anonymous };
    }
    const preview = await this.previews.find(target.deployId);
    const site = preview && this.index.siteById(preview.siteId);
    // Under a site's path only that site's own deploys are shown.
    if (!preview || !site || (target.slug !== null && target.slug !== site.slug)) return undefined;
    return { ...site, manifest: preview.manifest, noindex: true };
  }

  async #show(
    request: IncomingMessage,
    response: ServerResponse,
    { form, manifest, noindex, prefix, path, query }: Shown,
  ) {
    const headers = siteHeaders(form, noindex);
    if (manifest === null) return page(response, 404, headers, ...NO_PAGE);
    const site = await this.manifests.get(manifest);
    const rules = await this.rules.of(site);
    const answer = resolve({ manifest: site, rules }, { path, query, prefix });
    switch (answer.kind) {
      case 'nothing':
        if (answer.status === 410) return page(response, 410, headers, ...GONE_PAGE);
        return page(response, 404, headers, ...NO_PAGE);
      case 'redirect':
        return redirect(response, answer.status, headers, answer.location);
      case 'file':
        return this.#file(request, response, answer.file, {
          status: answer.status,
          headers,
          form,
          chosen: headersFor(rules, path),
        });
    }
  }

  async #file(request: IncomingMessage, response: ServerResponse, file: ManifestFile, how: Sent) {
    const { status, headers, form, chosen } = how;
    const etag = `"${file.sha256.slice(0, 32)}"`;
    const head = withChosenHeaders(
      {
        ...headers,
        etag,
        'cache-control': 'public, max-age=0, must-revalidate',
        'content-type': contentType(file.path),
        'content-length': file.size,
      },
      chosen,
      form,
      status,
    );
    if (status === 200 && matchesEtag(request.headers['if-none-match'], etag)) {
      const { 'content-type': _, 'content-length': __, ...cached } = head;
      response.writeHead(304, cached).end();
      return;
    }
    if (request.method === 'HEAD') {
      response.writeHead(status, head).end();
    } else if (file.size <= WHOLE) {
      const content = await this.blobs.read(file.sha256);
      response.writeHead(status, head).end(content);
    } else {
      response.writeHead(status, head);
      // A visitor who leaves in the middle is no fault of anybody's.
      await pipeline(this.blobs.stream(file.sha256), response).catch((error) => {
        if (!response.destroyed) throw error;
      });
    }
  }
}

function page(response: ServerResponse, status: number, headers: Record<string, string>, title: string, text: string) {
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

function redirect(response: ServerResponse, status: number, headers: Record<string, string>, location: string) {
  response
    .writeHead(status, {
      ...headers,
      location,
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-length': 0,
    })
    .end();
}
