import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { contentType } from '../../../edge/http/api/content-type.js';
import { keptPrivate } from '../access/private-headers.js';
import type { RequestFields } from '../conditions/preconditions.js';
import type { StoredFile } from '../content/file-bytes.js';
import { FileTraitReader, uncompressedPath } from '../content/file-traits.js';
import { ImmutableAssets } from '../content/immutable-assets.js';
import { seemsNamedByContent } from '../content/immutable-names.js';
import type { ChosenHeaders } from '../rules/site-rules.js';
import { withChosenHeaders } from '../rules/with-chosen-headers.js';
import type { ServedSite } from '../sites/served-site.js';
import { headersOfResolved, type ResolvedSite } from '../sites/shown-sites.js';
import type { Target } from '../sites/target.js';
import { buildVisitedPlace, VisitRecorder } from '../visits/visits.js';
import { FileResponse } from './file-response.js';
import { ResponseIndex } from './response-index.js';
import { REVALIDATE } from './short-responses.js';

export const isHtml = ({ type }: FileResponse): boolean => /^text\/html\b/i.test(type ?? '');

/**
 * Matches types whose charset depends on the file. JSON is not among them, because it is always UTF-8 (RFC 8259 section
 * 8.1).
 */
const IS_TEXT = /^text\/.*; charset=utf-8$/;

const charsetParameter = (charset: string | null) => (charset === null ? '' : `; charset=${charset}`);

const FOR_A_YEAR = 'public, max-age=31536000, immutable';

/**
 * A file to send. `manifest` is null if no manifest lists the file. In that case, `isLasting` states whether the file's
 * URL always shows the same content; `late` means that this is not known yet.
 */
type FoundFile = ({ readonly manifest: string } | { readonly manifest: null; readonly isLasting: boolean | 'late' }) & {
  readonly file: StoredFile;
  readonly status: 200 | 404 | 410;
  /** Whether the requested URL is the file's own path. */
  readonly isItself: boolean;
  readonly chosen: ChosenHeaders;
  /** Whether the `accept` header affected which file was chosen. */
  readonly isByAccept?: boolean;
};

@Injectable()
export class FileResponder {
  constructor(
    @Inject(ImmutableAssets) private readonly immutableCaching: Pick<ImmutableAssets, 'findImmutability'>,
    private readonly known: ResponseIndex,
    private readonly visits: VisitRecorder,
    @Inject(FileTraitReader) private readonly traits: Pick<FileTraitReader, 'of'>,
  ) {}

  /** Builds the response for a file, and caches it by URL if it is identical for every visitor. */
  async of(
    { url = '/' }: IncomingMessage,
    fields: RequestFields,
    { form, slug, prefix, query }: Target,
    resolved: ResolvedSite,
    found: FoundFile,
  ): Promise<FileResponse> {
    const { site, modifiedAt, domain } = resolved;
    const { file, status, chosen } = found;
    const isPublic = site.visibility === 'public';
    const { type, encoding } = await this.#content(file, chosen);
    const immutable = isPublic && (await this.#findImmutability(site, found, type));
    const cache = immutable === true ? FOR_A_YEAR : REVALIDATE;
    const ours = {
      ...headersOfResolved(resolved, form),
      'content-type': type,
      ...(found.isByAccept && { vary: 'accept' }),
    };
    const { 'content-encoding': _, ...head } = isPublic
      ? withChosenHeaders({ ...ours, 'cache-control': cache }, chosen, form, status)
      : keptPrivate(withChosenHeaders(ours, chosen, form, status));
    const headers = encoding === null ? head : { ...head, 'content-encoding': encoding };
    const answer = new FileResponse({
      siteId: site.siteId,
      file,
      status,
      headers,
      modifiedAt: status === 200 ? modifiedAt : null,
    });
    // Don't cache responses of sites that are not public: cached responses are sent without checking the visitor's
    // access.
    if (!isPublic) return answer;

    // Don't cache responses that change later, for example because their modification time is in the future. Don't
    // cache responses whose headers contain the path, because they have too many variants.
    const isFinal = !found.isByAccept && immutable !== 'late' && (modifiedAt ?? 0) <= Date.now() && !chosen.isOfPath;
    if (isFinal && status === 200 && query === '') {
      const place = buildVisitedPlace(site, prefix, isHtml(answer));
      this.known.keep(fields.host, url, { domain, slug, site, form, answer, place, onSent: this.visits.at(place) });
    }
    return answer;
  }

  /**
   * Returns the type and stored encoding of a file. A file has an encoding only if its name or the site’s rules declare
   * one and its content matches it, because browsers can't show a file with a wrong content-encoding.
   */
  async #content(file: StoredFile, chosen: ChosenHeaders) {
    const inner = uncompressedPath(file.path);
    const said = chosen.set.get('content-encoding');
    const type = contentType(file.path);
    if (inner === null && said === undefined && !IS_TEXT.test(type)) return { type, encoding: null };
    const traits = await this.traits.of(file);
    if (traits.encoding !== null && (inner !== null || said === traits.encoding))
      return { type: contentType(inner ?? file.path.replace(/\.(?:gz|br)$/i, '')), encoding: traits.encoding };
    if (!IS_TEXT.test(type)) return { type, encoding: null };
    return { type: type.replace(/; charset=utf-8$/, charsetParameter(traits.charset)), encoding: null };
  }

  #findImmutability(site: ServedSite, found: FoundFile, type: string): boolean | 'late' | Promise<boolean | 'late'> {
    if (found.manifest === null) return found.isLasting;
    const { file, status, isItself, manifest } = found;
    // A file that is shown in place of another one is never cached for a year, because the site's rules choose it and
    // can change.
    const seems = status === 200 && isItself && seemsNamedByContent(file.path, type);
    return seems && this.immutableCaching.findImmutability(site, manifest, file.path, file.sha256);
  }
}
