import { Inject, Injectable, Logger } from '@nestjs/common';
import { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest } from '../../../blobs/manifest.js';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { contentType } from '../../../http/api/content-type.js';
import { KeyedMutex } from '../../../kernel/concurrency/keyed-mutex.js';
import { EventStore } from '../../../kernel/event-store.js';
import type { ServedSite } from '../sites/serving-index.js';
import { seemsNamedByContent } from './immutable-names.js';

/** A site that showed more different deploys than this is not looked through: its files are asked for again each time. */
const MOST_DEPLOYS = 1_000;
/** Paths remembered of one site, and of all; about 200 bytes each. */
const MOST_PATHS_OF_SITE = 50_000;
const MOST_PATHS = 200_000;
/** A visitor waits no longer than this for an answer that only saves later requests. */
const PATIENCE_MS = 250;

/** What a site has shown under names that seem to be made of content, up to a revision of its stream. */
type Past = {
  revision: number;
  readonly manifests: Set<string>;
  /** The one content a path ever had, or null for a path that had several. */
  readonly contents: Map<string, string | null>;
  tooMuch: boolean;
  /** How much of `MOST_PATHS` it was counted with. */
  weight: number;
};

/**
 * Whether a file may be kept for a year without asking: its path has never had other content on this site. That is read
 * from the site's own stream and its manifests, once for each process, and from where it ended when the site has
 * changed. What is not known, not yet, or too much to know, is `false`: then the visitor asks each time, which is never wrong.
 */
@Injectable()
export class ImmutableCaching {
  readonly #log = new Logger('Serving');
  readonly #pasts = new Map<string, Past>();
  readonly #mutex = new KeyedMutex();
  #paths = 0;

  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  /** `late` where it is still being looked up: ask again with the next request. */
  async isLasting(site: ServedSite, manifest: string, path: string, sha256: string): Promise<boolean | 'late'> {
    const past = this.#pasts.get(site.siteId);
    if (past && past.revision >= site.revision && (past.tooMuch || past.manifests.has(manifest)))
      return !past.tooMuch && past.contents.get(path) === sha256;

    const looking = this.#mutex
      .run(site.siteId, () => this.#look(site, manifest))
      .then(({ tooMuch, contents }) => !tooMuch && contents.get(path) === sha256)
      .catch((error) => {
        this.#log.warn(`Earlier deploys of ${site.slug} could not be read: ${error}`);
        return 'late' as const;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, 'late');
    });
    return Promise.race([looking, late]).finally(() => clearTimeout(timer));
  }

  async #look({ siteId, revision }: ServedSite, shown: string): Promise<Past> {
    const past = this.#pasts.get(siteId) ?? nothing();
    if (past.revision < revision) {
      const { events, head } = await this.store.read(siteStream(siteId), past.revision);
      const manifests = manifestsIn(events);
      if (manifests.size > MOST_DEPLOYS) giveUp(past);
      for (const manifest of manifests) await this.#add(past, manifest);
      past.revision = head.revision;
    }
    // A past deploy's own address shows it, whether or not it was ever live.
    await this.#add(past, shown);
    this.#remember(siteId, past);
    return past;
  }

  async #add(past: Past, manifest: string) {
    if (past.tooMuch || past.manifests.has(manifest)) return;
    if (past.manifests.size >= MOST_DEPLOYS || past.contents.size >= MOST_PATHS_OF_SITE) return giveUp(past);
    for (const { path, sha256 } of decodeManifest(manifest, await this.blobs.read(manifest)).files.values()) {
      if (!seemsNamedByContent(path, contentType(path))) continue;
      const before = past.contents.get(path);
      past.contents.set(path, before === undefined || before === sha256 ? sha256 : null);
    }
    past.manifests.add(manifest);
  }

  /** The one looked at last is the last to go. */
  #remember(siteId: string, past: Past) {
    const weight = past.contents.size + past.manifests.size + 1;
    this.#paths += weight - (this.#pasts.has(siteId) ? past.weight : 0);
    past.weight = weight;
    this.#pasts.delete(siteId);
    this.#pasts.set(siteId, past);
    for (const [oldest, { weight }] of this.#pasts) {
      if (this.#paths <= MOST_PATHS || oldest === siteId) return;
      this.#pasts.delete(oldest);
      this.#paths -= weight;
    }
  }
}

const nothing = (): Past => ({ revision: 0, manifests: new Set(), contents: new Map(), tooMuch: false, weight: 0 });

function giveUp(past: Past) {
  past.tooMuch = true;
  past.contents.clear();
  past.manifests.clear();
}

const manifestsIn = (events: readonly { readonly type: string }[]) =>
  new Set(
    (events as readonly SiteEvent[]).flatMap((event) =>
      event.type === 'SiteDeployed' || event.type === 'SiteRolledBack' ? [event.data.manifest] : [],
    ),
  );
