import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { problems } from '../../edge/http/problems/problem.js';
import type { CachedResponse, Forward, PlainRequest } from '../../edge/http/server/first-handler.js';
import { hostClassifier, nameInHost } from '../../edge/http/server/hosts/hosts.js';
import { wantsWebSocket } from '../../edge/http/server/web-socket.js';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import { StorageFullError } from '../../kernel/faults/storage-full.js';
import { Refusal } from '../../kernel/refusal.js';
import { reasonOfAbsence } from '../../kernel/rights/site-access.js';
import { keptPrivate } from './access/private-headers.js';
import { isForFramework, isForGate, SiteAccessGate } from './access/site-access-gate.js';
import { VISIT } from './access/visit-path.js';
import { Visitors } from './access/visitors.js';
import { type RequestFields, requestFields } from './conditions/preconditions.js';
import { ConnectorScript, isForConnectorScript } from './connector/connector-script.js';
import { ManifestCache } from './content/manifest-cache.js';
import { FileResponder, isHtml } from './responses/file-responder.js';
import { FileSender } from './responses/file-sender.js';
import { FOLDER_PAGE_POLICY } from './responses/folder-page.js';
import { FolderPages } from './responses/folder-pages.js';
import { isPreflight, preflightHeaders } from './responses/preflight.js';
import { ResponseIndex } from './responses/response-index.js';
import { page, REVALIDATE, redirect } from './responses/short-responses.js';
import { type SiteForm, siteHeaders } from './responses/site-headers.js';
import { resolve } from './rules/resolve.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { addressesOf, chooseHeaders } from './rules/site-rules.js';
import { withChosenHeaders } from './rules/with-chosen-headers.js';
import { ServerResponder } from './servers/server-responder.js';
import type { ServedSite } from './sites/served-site.js';
import { headersOfResolved, type ResolvedSite, SiteResolver } from './sites/shown-sites.js';
import { parseTarget, type Target } from './sites/target.js';
import { buildVisitedPlace, type Visit, VisitRecorder } from './visits/visits.js';

const NO_PAGE = ['Page not found', 'This site has no page at this URL.'] as const;
const NO_SERVER_HERE = [
  'Not available at this URL',
  'This site runs a server, which is only available on the site’s own host.',
] as const;
/** Matches a slug, which needs no escaping in HTML. */
const SLUG = /^[a-z0-9-]{1,63}$/;
const GONE_PAGE = ['This page is gone', 'The page has been removed from the site.'] as const;

/**
 * Handles visitors' requests for hosted sites, before they reach Fastify. Finds the site by host, then its manifest,
 * then the content.
 */
@Injectable()
export class SiteRequestHandler {
  readonly #log = new Logger('Serving');
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    private readonly known: ResponseIndex,
    private readonly resolver: SiteResolver,
    private readonly manifestCache: ManifestCache,
    private readonly rules: RulesOfSites,
    private readonly answers: FileResponder,
    private readonly files: FileSender,
    private readonly visitors: Visitors,
    private readonly siteAccessGate: SiteAccessGate,
    private readonly connectorScript: ConnectorScript,
    private readonly folders: FolderPages,
    private readonly servers: ServerResponder,
    private readonly visits: VisitRecorder,
    private readonly urls: ServiceUrls,
  ) {
    this.#hostKindOf = hostClassifier(urls);
  }

  /**
   * Returns the response if the URL was visited recently and everything needed for the response is in memory; otherwise
   * null.
   */
  readonly cachedResponse = ({ method, url, rawHeaders }: PlainRequest): CachedResponse | null => {
    const fields = requestFields(rawHeaders);
    const known = this.known.at(fields.host, url);
    if (!known || !isReadable(method, fields, known.form)) return null;
    return this.files.cachedResponse(method === 'HEAD', fields, known.answer, known.onSent);
  };

  readonly forward = (request: PlainRequest): Forward | null => this.servers.known(request);

  /** Reports whether a server might respond to requests for this host. */
  readonly takesWebSocket = (host: string | undefined): boolean => {
    const target = parseTarget(this.#destination(host), '/');
    return target !== null && this.resolver.canBeServer(target);
  };

  /** Handles a request for a site. Returns false, leaving the request untouched, if it is not for a site. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const fields = requestFields(request.rawHeaders);
    const url = request.url ?? '/';
    const known = this.known.at(fields.host, url);
    if (known && isReadable(request.method, fields, known.form)) {
      // Discard the request body, because sites accept no uploads.
      if (fields.hasBody) request.resume();
      this.visits.watch(request, response).place(known.place);
      try {
        const sending = this.files.send(request, response, fields, known.answer);
        sending?.catch((error) => this.#failed(error, request, response, known.form));
      } catch (error) {
        this.#failed(error, request, response, known.form);
      }
      return true;
    }

    const target = parseTarget(this.#destination(fields.host), url);
    if (!target) return false;
    if (isForFramework(target, request.method)) return false;
    // The access gate reads the body of its own form.
    const isForm = isForGate(target) && request.method === 'POST';
    // If the site may run a server, don't read the body until the visitor's access has been checked.
    const isHeld = isForm || (fields.hasBody && this.resolver.canBeServer(target));
    if (!isHeld) request.resume();
    // Requests for the service's own paths on a site's host do not count as visits.
    const visit = isForGate(target) ? null : this.visits.watch(request, response);
    this.#serve(request, response, fields, target, visit)
      .catch((error) => this.#failed(error, request, response, target.form))
      .finally(() => isForm && request.resume());
    return true;
  };

  /** Any unknown host may be a custom domain. */
  #destination(host: string | undefined) {
    const destination = this.#hostKindOf(host);
    if (destination.kind !== 'unknown') return destination;
    const hostname = nameInHost(host);
    return this.resolver.isDomain(hostname) ? ({ kind: 'domain', hostname } as const) : destination;
  }

  /**
   * Returns the message for a URL that shows nothing. A missing site and a private site have the same message, because
   * the URL must not reveal whether a private site exists.
   */
  #nothingAt({ form, slug }: Target): string {
    if (form !== 'path' || slug === null || !SLUG.test(slug)) return 'Nothing has been published at this URL.';
    const visit = `${this.urls.baseUrl}${VISIT}?at=${slug}`;
    return `Nothing public has been published at this URL. If this is one of your private sites, <a href="${visit}">sign in</a> to open it.`;
  }

  /**
   * Returns the message for a site without a deploy. The link leads to a page that checks the visitor's role. It reveals
   * no job ID, which would be enough to read the job of an anonymous site.
   */
  #noDeployOf({ slug, anonymous }: ServedSite): string {
    const state = 'This site exists, but its first deploy has not finished or has failed.';
    if (anonymous) return `${state} If you deployed it, open the link to its job to find out which.`;
    return `${state} If you are a member of the site, <a href="${this.urls.baseUrl}/sites/${slug}/jobs/latest">open its latest job</a>.`;
  }

  #failed(error: unknown, { method, headers, url }: IncomingMessage, response: ServerResponse, form: SiteForm) {
    if (isPassing(error) && !response.headersSent) {
      const head = { ...siteHeaders(form, true), 'retry-after': '5' };
      return page(
        response,
        503,
        head,
        'Temporarily unavailable',
        'This page cannot be shown right now. Try again shortly.',
      );
    }
    // Don't log the query, because it may contain a member's ticket.
    this.#log.error(`${method} ${headers.host} ${url?.split('?', 1)[0]}`, error instanceof Error ? error.stack : error);
    if (response.headersSent) response.destroy();
    else
      page(
        response,
        500,
        siteHeaders(form, true),
        'Something went wrong',
        'An error occurred on our side. Try again shortly.',
      );
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    fields: RequestFields,
    target: Target,
    visit: Visit | null,
  ): Promise<void> {
    const { form, prefix, path, query } = target;
    const refused = siteHeaders(form, true);
    const shown = await this.resolver.at(target);
    const isServer = form !== 'path' && shown !== null && shown.deploy !== null;
    if (shown) visit?.place(buildVisitedPlace(shown.site, prefix, false));
    if (form === 'path' && fields.serviceWorker) {
      return page(
        response,
        403,
        refused,
        'Service workers not allowed',
        'A site can only install service workers on its own host.',
      );
    }
    if (wantsWebSocket(request.headers) && (!isServer || isForGate(target))) {
      return page(
        response,
        404,
        refused,
        'WebSockets not supported',
        'This site does not accept WebSocket connections.',
      );
    }
    const isToGate = isForGate(target);
    const asksToRead = isPreflight(request) && shown?.site.visibility === 'public' && !isServer;
    if (request.method !== 'GET' && request.method !== 'HEAD' && !asksToRead && !isToGate && !isServer) {
      return page(
        response,
        405,
        { ...refused, allow: 'GET, HEAD' },
        'Method not allowed',
        'This site only supports GET and HEAD requests.',
      );
    }
    if (path === null && !isServer)
      return page(response, 400, refused, 'Malformed URL', 'This URL’s path is not encoded correctly.');
    if (target.slash && !this.resolver.isFormer(target)) return redirect(response, 308, refused, `${prefix}${query}`);

    if (!shown) return page(response, 404, refused, 'There is no site here', this.#nothingAt(target));
    const { manifest, deploy } = shown;
    const site = isServer && form === 'preview' ? forMembersAlone(shown.site) : shown.site;
    const absence = reasonOfAbsence(site, Date.now());
    if (absence !== null) {
      const { status, title, detail } = problems[absence];
      const blockedBy = absence === 'taken_down' && { link: `<${this.urls.baseUrl}>; rel="blocked-by"` };
      return page(response, status, { ...refused, ...blockedBy }, title, detail);
    }

    const headers = headersOfResolved(shown, form);
    // Redirect from a former slug before the access check, because neither slug is secret.
    if (target.slug !== null && target.slug !== site.slug)
      return redirect(response, 308, headers, this.resolver.newest(site, target, request.url ?? '/'));
    const elsewhere = this.resolver.redirect(shown, request.url ?? '/');
    if (elsewhere !== null) return redirect(response, 308, headers, elsewhere);
    const isScript = isForConnectorScript(target);
    if (isToGate && !isScript) return this.siteAccessGate.answer(request, response, site, target);
    const isIn =
      site.visibility === 'public' ||
      (await this.visitors.canEnter(site, this.siteAccessGate.hostOf(target), request.headers.cookie));
    if (!isIn && isServer && form === 'preview') return this.siteAccessGate.hide(request, response, target);
    if (!isIn) return this.siteAccessGate.denyAccess(request, response, site, target);
    if (isScript) return this.connectorScript.answer(request, response, fields, site, target, headers);
    // Don't forward to a site's server under a path of the service: its responses would have the service's own origin,
    // so the server could impersonate the service.
    if (deploy !== null && form === 'path') return page(response, 404, headers, ...NO_SERVER_HERE);
    if (deploy !== null)
      return this.servers.answer({ request, response, fields, target, shown: { ...shown, site, deploy }, visit });
    if (manifest === null) return page(response, 404, headers, 'Nothing published yet', this.#noDeployOf(site));
    if (path === null) return page(response, 404, headers, ...NO_PAGE);
    const files = await this.manifestCache.get(manifest);
    const rules = await this.rules.of(files);
    if (asksToRead) {
      const requested = request.headers['access-control-request-headers'];
      response.writeHead(204, preflightHeaders(headers, chooseHeaders(rules, path), form, requested)).end();
      return;
    }
    const isNavigation = /\btext\/html\b/i.test(request.headers.accept ?? '');
    const found = resolve({ manifest: files, rules }, { path, query, prefix, isNavigation }, site.capabilities);
    switch (found.kind) {
      case 'nothing':
        if (found.status === 410) return page(response, 410, headers, ...GONE_PAGE);
        return page(response, 404, headers, ...NO_PAGE);
      case 'redirect':
        return redirect(response, found.status, headers, found.location);
      case 'listing': {
        visit?.place(buildVisitedPlace(site, prefix, true));
        const chosen = withChosenHeaders(folderHeaders(shown, form), chooseHeaders(rules, path), form, 200);
        const head = site.visibility === 'public' ? chosen : keptPrivate(chosen);
        return this.folders.send(request, response, fields, head, { ...found, slug: site.slug }, files);
      }
      case 'file': {
        const isItself = path === found.file.path;
        const isError = found.status !== 200;
        const isElsewhere = isError || !addressesOf(found.file.path).includes(path);
        const chosen = chooseHeaders(rules, path, { path: found.file.path, isElsewhere, isError });
        const file = { ...found, manifest, isItself, chosen };
        const answer = await this.answers.of(request, fields, target, shown, file);
        visit?.place(buildVisitedPlace(site, prefix, isHtml(answer)));
        return this.files.send(request, response, fields, answer);
      }
    }
  }
}

/**
 * Restricts an earlier deploy with a server to members, so that the server is not started for every visitor who knows
 * its URL.
 */
const forMembersAlone = (site: ServedSite): ServedSite => ({ ...site, visibility: 'members' });

function folderHeaders(resolved: ResolvedSite, form: SiteForm): Record<string, string> {
  const { 'content-security-policy': sandbox, ...headers } = headersOfResolved(resolved, form);
  return {
    'content-security-policy': sandbox ? `${sandbox}, ${FOLDER_PAGE_POLICY}` : FOLDER_PAGE_POLICY,
    'cache-control': REVALIDATE,
    ...headers,
    'content-type': 'text/html; charset=utf-8',
  };
}

/** Reports whether an error is temporary, so that visitors can try again. */
const isPassing = (error: unknown) =>
  error instanceof StoreUnavailableError ||
  error instanceof StorageFullError ||
  (error instanceof Refusal && error.code === 'unavailable');

const isReadable = (method: string | undefined, { serviceWorker, upgrade }: RequestFields, form: SiteForm) =>
  (method === 'GET' || method === 'HEAD') && !upgrade && !(serviceWorker && form === 'path');
