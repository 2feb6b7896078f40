import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type StoredMember, storedMembers } from '../../../content/uploads/bodies/archives/stored-members.js';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { apart } from '../content/apart.js';
import { type StoredFile, streamFile } from '../content/file-bytes.js';
import { SharedWork } from '../content/shared-work.js';
import type { ServedSite } from '../sites/served-site.js';
import { EarlierServers } from './earlier-servers.js';

const ADDRESS = '/_next/static/';
const FOLDER = '.next/static/';
/** Matches folders in which Next.js names each file by its content. Other folders are named after the build. */
const HASHED = /^(?:chunks|css|media)\//;
const START = 'stele.json';
const MAX_START_BYTES = 4_096;

const start = z.object({ kind: z.literal('next'), entry: z.string() });

/**
 * Maximum memory for the index of static files in stored servers, and the estimated memory of a file in the index, both
 * in bytes. The length of the file's path is added to the estimate.
 */
const CAPACITY = 16 * 1_048_576;
const OF_FILE = 200;

/** Static files of a stored server, by path below `_next/static/`. */
type Assets = { readonly places: ReadonlyMap<string, StoredMember>; readonly known: Map<string, StoredFile> };

/**
 * A static file. `isLasting` states whether its URL always shows the same content; `late` means that this is not known
 * yet.
 */
export type StaticAsset = { readonly file: StoredFile; readonly isLasting: boolean | 'late' };

export const isAssetPath = (path: string) => path.startsWith(ADDRESS);

/** Serves static files of a Next.js build without starting its server, including those of earlier live deploys. */
@Injectable()
export class StaticAssetFinder {
  readonly #assets = new LRUCache<string, Assets>({
    maxSize: CAPACITY,
    sizeCalculation: ({ places }) =>
      Math.min(
        CAPACITY,
        [...places.keys()].reduce((sum, path) => sum + path.length + OF_FILE, OF_FILE),
      ),
  });
  readonly #reading = new SharedWork<Assets>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly earlier: EarlierServers,
  ) {}

  /**
   * Finds a static file of a Next.js build. Resolves to null if there is no such file, or if the server has to respond.
   */
  async find(site: ServedSite, { kind, digest }: ServedDeploy, path: string): Promise<StaticAsset | null> {
    if (kind !== 'next' || !isAssetPath(path)) return null;
    const name = path.slice(ADDRESS.length);
    // At the URL of an earlier deploy, look only in that deploy.
    const earlier = digest === site.manifest ? await this.earlier.of(site).catch(ignoreFault) : [];
    const files: StoredFile[] = [];
    for (const each of [digest, ...(earlier ?? [])]) {
      const file = await this.#in(each, name);
      if (file) files.push(file);
    }
    const [file] = files;
    if (!file) return null;
    const isSame = files.every(({ sha256 }) => sha256 === file.sha256);
    return { file, isLasting: HASHED.test(name) && isSame && (earlier ? true : 'late') };
  }

  async #in(digest: string, name: string): Promise<StoredFile | null> {
    const { places, known } = this.#assets.get(digest) ?? (await this.#reading.of(digest, () => this.#read(digest)));
    const place = places.get(name);
    if (!place) return null;
    const file = known.get(name) ?? (await this.#hashed(digest, name, place));
    known.set(apart(name), file);
    return file;
  }

  async #read(digest: string): Promise<Assets> {
    const places = new Map<string, StoredMember>();
    let folder: string | null = null;
    for await (const member of storedMembers(this.blobs, digest)) {
      if (folder === null) {
        folder = member.path === START ? await this.#folderSaidBy(digest, member) : null;
        if (folder === null) break;
      } else if (member.path.startsWith(folder)) places.set(member.path.slice(folder.length), member);
      // Files in the stored server are sorted by path, so no further file is in the folder.
      else if (places.size > 0) break;
    }
    const assets = { places, known: new Map<string, StoredFile>() };
    this.#assets.set(digest, assets);
    return assets;
  }

  async #folderSaidBy(digest: string, { first, size }: StoredMember): Promise<string | null> {
    if (size === 0 || size > MAX_START_BYTES) return null;
    const pieces: Buffer[] = [];
    for await (const piece of this.blobs.stream(digest, { first, last: first + size - 1 })) pieces.push(piece);
    const said = start.safeParse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
    return said.success ? `${posix.join(posix.dirname(said.data.entry), FOLDER)}` : null;
  }

  async #hashed(digest: string, path: string, { first, size }: StoredMember): Promise<StoredFile> {
    const place = { path, size, within: { sha256: digest, first } };
    const hash = createHash('sha256');
    for await (const piece of streamFile(this.blobs, { ...place, sha256: '' })) hash.update(piece);
    return { ...place, sha256: hash.digest('hex') };
  }
}
