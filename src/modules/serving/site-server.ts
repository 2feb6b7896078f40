import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ManifestFile } from '../../blobs/manifest.js';
import { Addresses } from '../../edge/addresses.js';
import { contentType } from '../../edge/content-type.js';
import { type Destination, hostsOf } from '../../edge/hosts.js';
import { wantsWebSocket } from '../../edge/web-socket.js';
import { StoreUnavailable } from '../../kernel/event-store.js';
import { Refusal } from '../../kernel/refusal.js';
import { keptPrivate, PRIVATE_SITE } from './access/private-headers.js';
import { isAtDoor, SiteDoor } from './access/site-door.js';
import { Visitors } from './access/visitors.js';
import { type Asked, askedOf } from './asked.js';
import { FileAnswer } from './file-answer.js';
import { FileSender } from './file-sender.js';
import { FOLDER_PAGE_POLICY } from './folder-page.js';
import { FolderPages } from './folder-pages.js';
import { Lasting } from './lasting.js';
import { seemsNamedByContent } from './lasting-names.js';
import { Manifests } from './manifests.js';
import { plainPage } from './plain-page.js';
import { Previews } from './previews.js';
import { Remembered } from './remembered.js';
import { resolve } from './rules/resolve.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { type ChosenHeaders, headersFor } from './rules/site-rules.js';
import { withChosenHeaders } from './rules/with-chosen-headers.js';
import { type ServedSite, ServingIndex } from './serving-index.js';
import { type Form, siteHeaders } from './site-headers.js';
import { pathOf, type Target, targetOf } from './target.js';

/** Addresses remembered: twice this, at about a kilobyte each. Longer ones are not. */
const REMEMBERED = 16_384;
const LONGEST = 1_024;

const REVALIDATE = 'public, max-age=0, must-revalidate';
const FOR_A_YEAR = 'public, max-age=31536000, immutable';

const NO_PAGE = ['Page not found', 'The site has no such page.'] as const;
const GONE_PAGE = ['This page is gone', 'The site has had it, and has it no more.'] as const;

/** What is shown of a site, live or past. */
type Shown = {
  readonly site: ServedSite;
  readonly manifest: string | null;
  readonly modifiedAt: number | null;
  readonly noindex: boolean;
};

type FoundFile = {
  readonly file: ManifestFile;
  readonly status: 200 | 404 | 410;
  readonly manifest: string;
  /** Whether the address has the file's own path. */
  readonly isItself: boolean;
  readonly chosen: ChosenHeaders;
};

/** What an address showed when it was last asked for: so it still does, as long as the site is the same object. */
type Known = {
  /** The name by which the site was found; null where a deploy's id was the address. */
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly form: Form;
  readonly answer: FileAnswer;
};

/** Answers visitors of hosted sites, in front of the framework: host → site → manifest → content. */
@Injectable()
export class SiteServer {
  readonly #log = new Logger('Serving');
  readonly #destination: (host: string | undefined) => Destination;
  readonly #known = new Remembered<Known>(REMEMBERED);

  constructor(
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(Previews) private readonly previews: Previews,
    @Inject(Manifests) private readonly manifests: Manifests,
    @Inject(RulesOfSites) private readonly rules: RulesOfSites,
    @Inject(Lasting) private readonly lasting: Lasting,
    @Inject(FileSender) private readonly files: FileSender,
    @Inject(Visitors) private readonly visitors: Visitors,
    @Inject(SiteDoor) private readonly door: SiteDoor,
    @Inject(FolderPages) private readonly folders: FolderPages,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {
    this.#destination = hostsOf(addresses);
  }

  /** Takes requests for sites, by host or by path; leaves everything else. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const asked = askedOf(request.rawHeaders);
    const url = request.url ?? '/';
    const known = this.#known.get(addressOf(asked.host, url));
    if (known && this.#stillShows(known) && mayRead(request, asked, known.form)) {
      // Nothing is uploaded to a site: a body is not waited for.
      if (asked.hasBody) request.resume();
      try {
        const sending = this.files.send(request, response, asked, known.answer);
        sending?.catch((error) => this.#failed(error, request, response, known.form));
      } catch (error) {
        this.#failed(error, request, response, known.form);
      }
      return true;
    }

    const target = targetOf(this.#destination(asked.host), url);
    if (!target) return false;
    // What is sent to the door of a site is read there.
    const isSent = isAtDoor(target) && request.method === 'POST';
    if (!isSent) request.resume();
    this.#serve(request, response, asked, target)
      .catch((error) => this.#failed(error, request, response, target.form))
      .finally(() => isSent && request.resume());
    return true;
  };

  #stillShows({ slug, site }: Known): boolean {
    const now = slug === null ? this.index.siteById(site.siteId) : this.index.site(slug);
    return now === site && (site.expiresAt === null || site.expiresAt > Date.now());
  }

  #failed(error: unknown, { method, headers, url }: IncomingMessage, response: ServerResponse, form: Form) {
    if (isPassing(error) && !response.headersSent) {
      const head = { ...siteHeaders(form, true), 'retry-after': '5' };
      return page(response, 503, head, 'Not just now', 'This cannot be done right now. Try again shortly.');
    }
    // Behind the question mark may be the ticket of a member.
    this.#log.error(`${method} ${headers.host} ${url?.split('?', 1)[0]}`, error instanceof Error ? error.stack : error);
    if (response.headersSent) response.destroy();
    else
      page(
        response,
        500,
        siteHeaders(form, true),
        'Something went wrong',
        'The fault is on this side. Try again shortly.',
      );
  }

  async #serve(request: IncomingMessage, response: ServerResponse, asked: Asked, target: Target): Promise<void> {
    const { form, prefix, path, query } = target;
    const refused = siteHeaders(form, true);
    if (form === 'path' && asked.serviceWorker) {
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
    const isToDoor = isAtDoor(target);
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isToDoor) {
      return page(response, 405, { ...refused, allow: 'GET, HEAD' }, 'Not allowed', 'A site only shows pages.');
    }
    if (path === null)
      return page(response, 400, refused, 'Malformed address', 'This address is not encoded as addresses are.');
    if (target.slash && !this.#isFormer(target)) return redirect(response, 308, refused, `${prefix}${query}`);

    const shown = await this.#find(target);
    if (!shown)
      return page(response, 404, refused, 'There is no site here', 'Nothing has been published at this address.');
    const { site, manifest } = shown;
    if (site.takenDown) {
      const blockedBy = { ...refused, link: `<${this.addresses.baseUrl}>; rel="blocked-by"` };
      return page(response, 451, blockedBy, 'Taken down', 'The operator of this service has taken this site down.');
    }
    if (site.expiresAt !== null && site.expiresAt <= Date.now()) {
      return page(response, 410, refused, 'This site is gone', 'It was put here for a time, and the time is over.');
    }

    const headers = headersOf(shown, form);
    // Before anybody is asked who they are: that a site has another name now is no secret, as its name is none.
    if (target.slug !== null && target.slug !== site.slug)
      return redirect(response, 308, headers, this.#newest(site, target, request.url ?? '/'));
    if (isToDoor) return this.door.answer(request, response, site, target);
    const isIn =
      site.visibility === 'public' ||
      (await this.visitors.mayEnter(site, this.door.hostOf(target), request.headers.cookie));
    if (!isIn) return this.door.turnAway(request, response, site, target);
    if (manifest === null) return page(response, 404, headers, ...NO_PAGE);
    const files = await this.manifests.get(manifest);
    const rules = await this.rules.of(files);
    const found = resolve({ manifest: files, rules }, { path, query, prefix }, site.capabilities);
    switch (found.kind) {
      case 'nothing':
        if (found.status === 410) return page(response, 410, headers, ...GONE_PAGE);
        return page(response, 404, headers, ...NO_PAGE);
      case 'redirect':
        return redirect(response, found.status, headers, found.location);
      case 'listing': {
        const chosen = withChosenHeaders(folderHeaders(shown, form), headersFor(rules, path), form, 200);
        const head = site.visibility === 'public' ? chosen : keptPrivate(chosen);
        return this.folders.send(request, response, asked, head, { ...found, slug: site.slug }, files);
      }
      case 'file': {
        const isItself = path.normalize('NFC') === found.file.path;
        const file = { ...found, manifest, isItself, chosen: headersFor(rules, path) };
        const answer = await this.#answerFor(request, asked, target, shown, file);
        return this.files.send(request, response, asked, answer);
      }
    }
  }

  async #find({ form, slug, deployId }: Target): Promise<Shown | null> {
    if (deployId === null) {
      const site = this.index.site(slug ?? '');
      return site && isShownAs(site, form)
        ? {
            site,
            manifest: site.manifest,
            modifiedAt: site.modifiedAt,
            noindex: site.anonymous || site.robots === 'noindex',
          }
        : null;
    }
    const preview = await this.previews.find(deployId);
    const site = preview && this.index.siteById(preview.siteId);
    // Under a site's path only that site's own deploys are shown.
    if (!preview || !site || !isShownAs(site, form) || (slug !== null && this.index.site(slug) !== site)) return null;
    return { site, manifest: preview.manifest, modifiedAt: preview.modifiedAt, noindex: true };
  }

  /** Whether it names a public site by a slug that it had before. */
  #isFormer({ slug }: Target): boolean {
    const site = this.index.site(slug ?? '');
    return site?.visibility === 'public' && site.slug !== slug;
  }

  /** The same address under the slug that the site has now. */
  #newest({ slug }: ServedSite, { form, deployId, prefix, query }: Target, url: string): string {
    const [path = ''] = pathOf(url).split('?', 1);
    const within = `${path.slice(prefix.length)}${query}`;
    if (form === 'host') return `${this.addresses.site(slug)}${within}`;
    return `${this.addresses.sitePath(slug)}${deployId === null ? '' : `@${deployId}/`}${within}`;
  }

  /** The answer, remembered where the address says it all: every visitor of it gets the same. */
  async #answerFor(
    { url = '/' }: IncomingMessage,
    asked: Asked,
    { form, slug, query }: Target,
    shown: Shown,
    { file, status, manifest, isItself, chosen }: FoundFile,
  ): Promise<FileAnswer> {
    const { site, modifiedAt } = shown;
    const isPublic = site.visibility === 'public';
    const type = contentType(file.path);
    // What is shown in the place of another file changes with the rules, whatever its own name is made of.
    const seems = isPublic && status === 200 && isItself && seemsNamedByContent(file.path, type);
    const lasting = seems && (await this.lasting.isLasting(site, manifest, file.path, file.sha256));
    const cache = lasting === true ? FOR_A_YEAR : REVALIDATE;
    const ours = { ...headersOf(shown, form), 'content-type': type };
    const headers = isPublic
      ? withChosenHeaders({ ...ours, 'cache-control': cache }, chosen, form, status)
      : keptPrivate(withChosenHeaders(ours, chosen, form, status));
    const answer = new FileAnswer({ file, status, headers, modifiedAt: status === 200 ? modifiedAt : null });
    // What is remembered is shown without asking who it is.
    if (!isPublic) return answer;

    // A time that lies ahead is told differently once it has come. Queries are without number: none is remembered.
    const isFinal = lasting !== 'late' && (modifiedAt ?? 0) <= Date.now();
    const address = addressOf(asked.host, url);
    if (isFinal && status === 200 && query === '' && url.startsWith('/') && address.length <= LONGEST)
      this.#known.set(address, { slug, site, form, answer });
    return answer;
  }
}

function folderHeaders(shown: Shown, form: Form): Record<string, string> {
  const { 'content-security-policy': sandbox, ...headers } = headersOf(shown, form);
  return {
    'content-security-policy': sandbox ? `${sandbox}, ${FOLDER_PAGE_POLICY}` : FOLDER_PAGE_POLICY,
    'cache-control': REVALIDATE,
    ...headers,
    'content-type': 'text/html; charset=utf-8',
  };
}

/** No address has a blank in it, so that no two requests for different things have the same. */
const addressOf = (host: string | undefined, url: string) => `${host} ${url}`;

/** The path form shares the service's origin, where a visitor's cookie would be the service's: it has public sites only. */
const isShownAs = ({ visibility }: ServedSite, form: Form) => form !== 'path' || visibility === 'public';

const headersOf = ({ site, noindex }: Shown, form: Form): Readonly<Record<string, string>> =>
  site.visibility === 'public' ? siteHeaders(form, noindex) : PRIVATE_SITE;

/** Faults that pass by themselves, which a visitor is told to wait out. */
const isPassing = (error: unknown) =>
  error instanceof StoreUnavailable || (error instanceof Refusal && error.code === 'unavailable');

const mayRead = ({ method }: IncomingMessage, { serviceWorker, upgrade }: Asked, form: Form) =>
  (method === 'GET' || method === 'HEAD') && !upgrade && !(serviceWorker && form === 'path');

function page(
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

function redirect(
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
