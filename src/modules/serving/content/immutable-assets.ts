import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { contentType } from '../../../edge/http/api/content-type.js';
import { movesLive, type SiteEvent, siteStream } from '../../../events/site/site.events.js';
import { KeyedMutex } from '../../../kernel/concurrency/keyed-mutex.js';
import { EventStore } from '../../../kernel/event-store.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../storage/blobs/manifest.js';
import type { ServedSite } from '../sites/served-site.js';
import { apart } from './apart.js';
import { seemsNamedByContent } from './immutable-names.js';

/** Files are cached for a year only if the site has at most this many deploys. With more, all files are revalidated. */
const MAX_DEPLOYS = 1_000;
const MAX_PATHS_PER_SITE = 50_000;
/** Capacity of the cache for all sites, in bytes: about 200,000 paths of typical length. */
const CAPACITY = 48 * 1_024 * 1_024;
/** Estimated memory overhead of each path or manifest in the cache, in bytes. The length of the path is added to it. */
const OF_ENTRY = 200;
/**
 * Maximum time that a visitor waits to find out whether a file can be cached for a year. It is short, because the
 * result only avoids later requests.
 */
const LOOK_WITHIN_MS = 250;

/**
 * All content that a site has had at paths whose names seem to contain a content hash, up to `revision` of the site's
 * stream.
 */
type Past = {
  revision: number;
  readonly manifests: Set<string>;
  /** Digest of the only content that each path has ever had, or null if the path has had several contents. */
  readonly contents: Map<string, string | null>;
  tooMuch: boolean;
  bytes: number;
};

/**
 * Determines whether a file can be cached for a year without revalidation, which requires that its path never had other
 * content on this site. Reads the site's stream and manifests once per process, and later only new events. If there is
 * too much to read, returns false, which is always safe.
 */
@Injectable()
export class ImmutableAssets {
  readonly #log = new Logger('Serving');
  readonly #pasts = new LRUCache<string, Past>({
    maxSize: CAPACITY,
    // `lru-cache` does not store values larger than its capacity. Cap the reported size, so that a larger site is
    // stored too and fills the whole cache.
    sizeCalculation: ({ bytes }) => Math.min(bytes, CAPACITY),
  });
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly store: EventStore,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Decides whether a file can be cached for a year. Resolves to `late` while the site's history is being read; the
   * next request can try again. Never rejects.
   */
  async findImmutability(site: ServedSite, manifest: string, path: string, sha256: string): Promise<boolean | 'late'> {
    const past = this.#pasts.get(site.siteId);
    if (past && past.revision >= site.revision && (past.tooMuch || past.manifests.has(manifest)))
      return !past.tooMuch && past.contents.get(path) === sha256;

    const looking = this.#mutex
      .run(site.siteId, () => this.#look(site, manifest))
      .then(({ tooMuch, contents }) => !tooMuch && contents.get(path) === sha256)
      .catch((error) => {
        this.#log.warn(`Could not read earlier deploys of ${site.slug}: ${error}`);
        return 'late' as const;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, LOOK_WITHIN_MS, 'late');
    });
    return Promise.race([looking, late]).finally(() => clearTimeout(timer));
  }

  async #look({ siteId, revision }: ServedSite, shown: string): Promise<Past> {
    const past = this.#pasts.get(siteId) ?? nothing();
    if (past.revision < revision) {
      const { events, head } = await this.store.read(siteStream(siteId), past.revision);
      const manifests = manifestsIn(events);
      if (manifests.size > MAX_DEPLOYS) giveUp(past);
      for (const manifest of manifests) await this.#add(past, manifest);
      past.revision = head.revision;
    }
    // A deploy that is shown at its own URL may never have been live. Add the content of the shown deploy too.
    await this.#add(past, shown);
    // Delete the value first, because `bytes` has grown and `lru-cache` computes the size of a value only when it is
    // added.
    this.#pasts.delete(siteId);
    this.#pasts.set(siteId, past);
    return past;
  }

  async #add(past: Past, manifest: string) {
    if (past.tooMuch || past.manifests.has(manifest)) return;
    if (past.manifests.size >= MAX_DEPLOYS || past.contents.size >= MAX_PATHS_PER_SITE) return giveUp(past);
    for (const { path, sha256 } of decodeManifest(manifest, await this.blobs.read(manifest)).files.values()) {
      if (!seemsNamedByContent(path, contentType(path))) continue;
      const before = past.contents.get(path);
      if (before === undefined) {
        past.contents.set(apart(path), apart(sha256));
        past.bytes += OF_ENTRY + path.length;
      } else if (before !== sha256) past.contents.set(path, null);
    }
    past.manifests.add(manifest);
    past.bytes += OF_ENTRY;
  }
}

const nothing = (): Past => ({
  revision: 0,
  manifests: new Set(),
  contents: new Map(),
  tooMuch: false,
  bytes: OF_ENTRY,
});

function giveUp(past: Past) {
  past.tooMuch = true;
  past.contents.clear();
  past.manifests.clear();
  past.bytes = OF_ENTRY;
}

const manifestsIn = (events: readonly { readonly type: string }[]) =>
  new Set(
    (events as readonly SiteEvent[]).flatMap((event) =>
      movesLive(event) && event.data.program === null ? [event.data.manifest] : [],
    ),
  );
