import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { ManifestFile } from '../../../blobs/manifest.js';
import { contentType } from '../../../http/api/content-type.js';
import { keptPrivate } from '../access/private-headers.js';
import type { Asked } from '../conditions/request-fields.js';
import { Lasting } from '../content/immutable-caching.js';
import { seemsNamedByContent } from '../content/immutable-names.js';
import type { ChosenHeaders } from '../rules/site-rules.js';
import { withChosenHeaders } from '../rules/with-chosen-headers.js';
import { headersOf, type Shown } from '../sites/shown-sites.js';
import type { Target } from '../sites/target.js';
import { FileAnswer } from './file-answer.js';
import { KnownAnswers } from './response-index.js';
import { REVALIDATE } from './short-answers.js';

const FOR_A_YEAR = 'public, max-age=31536000, immutable';

type FoundFile = {
  readonly file: ManifestFile;
  readonly status: 200 | 404 | 410;
  readonly manifest: string;
  /** Whether the address has the file's own path. */
  readonly isItself: boolean;
  readonly chosen: ChosenHeaders;
};

/** Makes the answer that shows a file of a site: its headers, and whether it is the same for everybody. */
@Injectable()
export class FileAnswers {
  constructor(
    @Inject(Lasting) private readonly lasting: Lasting,
    @Inject(KnownAnswers) private readonly known: KnownAnswers,
  ) {}

  /** The answer, remembered where the address says it all: every visitor of it gets the same. */
  async of(
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
    if (isFinal && status === 200 && query === '') this.known.keep(asked.host, url, { slug, site, form, answer });
    return answer;
  }
}
