import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Forward, PlainRequest } from '../../../edge/http/server/first-handler.js';
import { headerField } from '../../../edge/http/server/header-field.js';
import { wantsWebSocket } from '../../../edge/http/server/web-socket.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import type { RequestFields } from '../conditions/preconditions.js';
import { FileResponder } from '../responses/file-responder.js';
import { FileSender } from '../responses/file-sender.js';
import { ResponseIndex } from '../responses/response-index.js';
import { NOTHING_CHOSEN } from '../rules/site-rules.js';
import { headersOfResolved, type ResolvedSite } from '../sites/shown-sites.js';
import type { Target } from '../sites/target.js';
import { buildVisitedPlace, type Visit, VisitRecorder } from '../visits/visits.js';
import { ServerHostCache } from './server-host-cache.js';
import { buildServerRules, ServerProxy } from './server-proxy.js';
import { isAssetPath, StaticAssetFinder } from './static-assets.js';

/** A request for a site with a server, from a visitor who can see the site. */
export type ServerRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fields: RequestFields;
  readonly target: Target;
  readonly shown: ResolvedSite & { readonly deploy: ServedDeploy };
  readonly visit: Visit | null;
};

/** Responds to requests for sites that run a server: with a static file, otherwise by forwarding to the server. */
@Injectable()
export class ServerResponder {
  readonly #known = new ServerHostCache();

  constructor(
    private readonly index: ResponseIndex,
    private readonly answers: FileResponder,
    private readonly files: FileSender,
    private readonly front: ServerProxy,
    private readonly assets: StaticAssetFinder,
    private readonly visits: VisitRecorder,
  ) {}

  /**
   * Returns a function that forwards the request to the site's server. Returns null unless an earlier visit has shown
   * that the server on this host responds to every visitor.
   */
  known({ url, rawHeaders }: PlainRequest): Forward | null {
    if (isPossibleGatePath(url)) return null;
    const known = this.#known.at(headerField(rawHeaders, 'host') ?? '');
    if (!known || !this.index.stillShows(known)) return null;
    if (known.deploy.kind === 'next' && isAssetPath(url)) return null;
    return (answer) => this.front.answerDirectly(answer, known);
  }

  async answer(asked: ServerRequest): Promise<void> {
    const { request, response, fields, target, shown, visit } = asked;
    const { site, deploy } = shown;
    const { path, prefix } = target;
    const isRead = (request.method === 'GET' || request.method === 'HEAD') && !wantsWebSocket(request.headers);
    const asset = isRead && path !== null ? await this.assets.find(site, deploy, `/${path}`) : null;
    if (!asset) return this.#byServer(asked);
    request.resume();
    visit?.place(buildVisitedPlace(site, prefix, false));
    const file = { ...asset, status: 200, manifest: null, isItself: true, chosen: NOTHING_CHOSEN } as const;
    return this.files.send(request, response, fields, await this.answers.of(request, fields, target, shown, file));
  }

  #byServer({
    request,
    response,
    fields: { host = '' },
    target,
    shown,
    visit,
  }: ServerRequest): undefined | Promise<void> {
    const { form, prefix, slug } = target;
    const { site, deploy, domain } = shown;
    const headers = headersOfResolved(shown, form);
    const rules = buildServerRules(headers, site.visibility !== 'public');
    if (site.visibility === 'public' && form === 'host') {
      const [onPageSent, onSent] = [true, false].map((isHtml) =>
        this.visits.at(buildVisitedPlace(site, prefix, isHtml)),
      );
      this.#known.keep(host, {
        ...{ domain, slug, site, deploy, rules, headers },
        onPageSent: onPageSent ?? null,
        onSent: onSent ?? null,
      });
    }
    const onHead = (isHtml: boolean) => visit?.place(buildVisitedPlace(site, prefix, isHtml));
    return this.front.answer(request, response, { deploy, rules, headers }, onHead);
  }
}

const isPossibleGatePath = (url: string) => url[1] === '.' || url[1] === '%';
