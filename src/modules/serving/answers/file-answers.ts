import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { contentType } from '../../../edge/http/api/content-type.js';
import { keptPrivate } from '../access/private-headers.js';
import type { RequestFields } from '../conditions/request-fields.js';
import type { StoredFile } from '../content/file-bytes.js';
import { ImmutableCaching } from '../content/immutable-caching.js';
import { seemsNamedByContent } from '../content/immutable-names.js';
import type { ChosenHeaders } from '../rules/site-rules.js';
import { withChosenHeaders } from '../rules/with-chosen-headers.js';
import type { ServedSite } from '../sites/served-site.js';
import { headersOfResolved, type ResolvedSite } from '../sites/shown-sites.js';
import type { Target } from '../sites/target.js';
import { placeAt, Visits } from '../visits/visits.js';
import { FileAnswer } from './file-answer.js';
import { ResponseIndex } from './response-index.js';
import { REVALIDATE } from './short-answers.js';

/** Whether a file is a page to those who see it. */
export const isHtml = ({ type }: FileAnswer): boolean => /^text\/html\b/i.test(type ?? '');

const FOR_A_YEAR = 'public, max-age=31536000, immutable';

/** `manifest` lists a file of a site. Of any other `isLasting` says whether no other content ever has its address, `late` where that is not known yet. */
type FoundFile = ({ readonly manifest: string } | { readonly manifest: null; readonly isLasting: boolean | 'late' }) & {
  readonly file: StoredFile;
  readonly status: 200 | 404 | 410;
  /** Whether the address is the file's own path. */
  readonly isItself: boolean;
  readonly chosen: ChosenHeaders;
};

/** Makes the answer with a file of a site: its headers, and whether every visitor gets the same. */
@Injectable()
export class FileAnswers {
  constructor(
    @Inject(ImmutableCaching) private readonly immutableCaching: Pick<ImmutableCaching, 'isImmutable'>,
    @Inject(ResponseIndex) private readonly known: ResponseIndex,
    @Inject(Visits) private readonly visits: Visits,
  ) {}

  /** The answer, remembered by its address where every visitor of that gets the same. */
  async of(
    { url = '/' }: IncomingMessage,
    fields: RequestFields,
    { form, slug, prefix, query }: Target,
    resolved: ResolvedSite,
    found: FoundFile,
  ): Promise<FileAnswer> {
    const { site, modifiedAt, domain } = resolved;
    const { file, status, chosen } = found;
    const isPublic = site.visibility === 'public';
    const type = contentType(file.path);
    const immutable = isPublic && (await this.#isImmutable(site, found, type));
    const cache = immutable === true ? FOR_A_YEAR : REVALIDATE;
    const ours = { ...headersOfResolved(resolved, form), 'content-type': type };
    const headers = isPublic
      ? withChosenHeaders({ ...ours, 'cache-control': cache }, chosen, form, status)
      : keptPrivate(withChosenHeaders(ours, chosen, form, status));
    const answer = new FileAnswer({
      siteId: site.siteId,
      file,
      status,
      headers,
      modifiedAt: status === 200 ? modifiedAt : null,
    });
    // What is remembered is sent without a look at the visitor.
    if (!isPublic) return answer;

    // A time that lies ahead is sent differently once it has come. Queries are countless, and so are heads that are made
    // of the path: none is remembered.
    const isFinal = immutable !== 'late' && (modifiedAt ?? 0) <= Date.now() && !chosen.isOfPath;
    if (isFinal && status === 200 && query === '') {
      const place = placeAt(site, prefix, isHtml(answer));
      this.known.keep(fields.host, url, { domain, slug, site, form, answer, place, onSent: this.visits.at(place) });
    }
    return answer;
  }

  #isImmutable(site: ServedSite, found: FoundFile, type: string): boolean | 'late' | Promise<boolean | 'late'> {
    if (found.manifest === null) return found.isLasting;
    const { file, status, isItself, manifest } = found;
    // A file shown in the place of another changes with the rules, whatever its own name is made of.
    const seems = status === 200 && isItself && seemsNamedByContent(file.path, type);
    return seems && this.immutableCaching.isImmutable(site, manifest, file.path, file.sha256);
  }
}
