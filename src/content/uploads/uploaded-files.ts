import { hash } from 'node:crypto';
import { inTurns } from '../../kernel/concurrency/in-turns.js';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { formatBytes, formatExcess } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';
import type { Blob, BlobIntake } from '../../storage/blobs/blob-store.js';
import { encodeManifest, type ManifestFile } from '../../storage/blobs/manifest.js';
import { PATH_AS_FILENAME, type UploadedEntry } from './bodies/body-chunks.js';
import { ContentInspection, type DeployWarning, ROOT_ABSOLUTE_MESSAGE } from './checks/content-inspection.js';
import { SitePaths, sitePath } from './checks/site-path.js';
import { type DeployLimits, refuseDeploySize, refuseFileCount } from './deploy-limits.js';

type UploadedItem<What = unknown> = { readonly path: string; readonly field: string } & What;
export type FileUpload = UploadedItem<Blob>;

export type UploadKind = {
  /** Whether the body contains the whole site. If it does, a single folder around an archive is stripped. */
  readonly isWhole: boolean;
  /** Whether there is a live deploy whose files can be removed. */
  readonly canRemove: boolean;
};

/**
 * The content of a body, checked as it arrives: files with content, files referenced by digest, and paths to remove.
 */
export class UploadedContent {
  readonly files: FileUpload[] = [];
  /** Files referenced by digest, whose content the caller already owns. */
  readonly named: UploadedItem<{ readonly sha256: string }>[] = [];
  readonly removed: UploadedItem[] = [];

  readonly #paths = new SitePaths();
  readonly #removed = new Set<string>();
  readonly #inspection = new ContentInspection();
  #archived = 0;
  /** Number of files that arrived in a form. */
  #formed = 0;
  #bytes = 0;
  #stripped: DeployWarning[] = [];
  #renamed = (path: string) => path;

  constructor(
    private readonly limits: DeployLimits,
    private readonly kind: UploadKind,
  ) {}

  get warnings(): readonly DeployWarning[] {
    return [...this.#stripped, ...this.#inspection.warnings];
  }

  /**
   * Returns the warnings about this body, given all files of the deploy. A warning about the base path replaces the one
   * about URLs that start with `/`.
   */
  warningsIn(files: readonly ManifestFile[]): readonly DeployWarning[] {
    const { addresses } = this.#inspection;
    const isForm = this.#formed === files.length;
    const found = (isForm && addresses.findMissingFolders(files)) || addresses.findBasePath(files, this.#renamed);
    if (found === null) return this.warnings;
    return [found, ...this.warnings.filter(({ message }) => message !== ROOT_ABSOLUTE_MESSAGE)];
  }

  /**
   * Checks an entry and stores its content. Refuses with `invalid_path`, `blocked_path`, `too_large`, `too_many_files`
   * or `invalid_request`.
   */
  async add(entry: UploadedEntry, intake: BlobIntake): Promise<void> {
    if ('leftOut' in entry) return this.#inspection.leftOut(entry.path, entry.leftOut);
    const { field } = entry;
    const path = sitePath(entry.path, `${field}.path`);
    if (this.#paths.count + this.#removed.size >= this.limits.files) refuseFileCount(this.limits);

    if ('delete' in entry) return this.#remove(path, field);
    const isInForm = 'inForm' in entry && entry.inForm === true;
    this.#paths.add(path, `${field}.path`, isInForm ? PATH_AS_FILENAME : undefined);
    if (this.#removed.has(path)) refuseDuplicate(path, field);
    if ('sha256' in entry) this.named.push({ path, field, sha256: entry.sha256 });
    else {
      if (entry.size !== undefined) this.#check(entry.size, path, field);
      const blob = await intake.add(this.#inspected(entry.content, path, field));
      this.#bytes += blob.size;
      this.files.push({ path, field, ...blob });
      if (entry.inArchive) this.#archived++;
      if (isInForm) this.#formed++;
      if (entry.warning !== undefined) this.#inspection.warnOnce(path, entry.warning);
    }
  }

  /**
   * Adds the files that are referenced by digest. `sizes` contains their sizes in bytes. Must be called after all
   * entries were added.
   */
  async complete(sizes: ReadonlyMap<string, number>): Promise<void> {
    for await (const entry of inTurns(this.named)) {
      const size = sizes.get(entry.sha256) ?? 0;
      this.#check(size, entry.path, entry.field);
      this.#bytes += size;
      this.files.push({ ...entry, size });
    }
    if (this.files.length + this.removed.length === 0) refuse('no_files');
    if (this.#archived > 0 && this.kind.isWhole) await this.#stripFolder();
  }

  /** A digest of the body. It does not depend on the live deploy, so a repeated request has the same digest. */
  get digest(): string {
    const { text } = encodeManifest(this.files);
    const deletions = this.removed.map(({ path }) => `delete ${path}\n`).sort();
    return hash('sha256', Buffer.concat([text, Buffer.from(deletions.join(''))]));
  }

  #remove(path: string, field: string): void {
    if (!this.kind.canRemove) {
      refuseInvalid({ path: `${field}.delete`, message: 'is only allowed with mode=merge' });
    }
    if (this.#removed.has(path) || this.#paths.has(path)) refuseDuplicate(path, field);
    this.#removed.add(path);
    this.removed.push({ path, field });
  }

  /**
   * Strips a single folder around all files if the folder contains an index, because users often archive a folder when
   * they mean its content. A folder without an index may be part of the URLs.
   */
  async #stripFolder(): Promise<void> {
    const folder = this.files[0]?.path.split('/', 1)[0] ?? '';
    if (!this.#paths.has(`${folder}/index.html`)) return;
    if (!this.files.every(({ path }) => path.startsWith(`${folder}/`))) return;
    const stripped = (path: string) => path.slice(folder.length + 1);
    for await (const [index, file] of inTurns(this.files.entries()))
      this.files[index] = { ...file, path: sitePath(stripped(file.path), `${file.field}.path`) };
    this.#renamed = (path) => (path.startsWith(`${folder}/`) ? stripped(path) : path);
    this.#inspection.rename(this.#renamed);
    const message = `All files were in this folder, so it was removed from their paths: ${folder}/index.html is now index.html.`;
    this.#stripped = [{ file: `${folder}/`, message }];
  }

  /** Inspects content while yielding it. Throws `too_large` as soon as a limit is exceeded. */
  #inspected(content: Uint8Array | AsyncIterable<Uint8Array>, path: string, field: string) {
    if (content instanceof Uint8Array) {
      this.#check(content.length, path, field);
      this.#inspection.inspect(path, [content]);
      return content;
    }
    return this.#inspectedChunks(content, path, field);
  }

  async *#inspectedChunks(content: AsyncIterable<Uint8Array>, path: string, field: string): AsyncGenerator<Uint8Array> {
    const inspection = this.#inspection.start(path);
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      this.#check(size, path, field, { isWhole: false });
      inspection.see(chunk);
      yield chunk;
    }
    inspection.end();
  }

  /** `isWhole` is false if `size` is only what has arrived so far. */
  #check(size: number, path: string, field: string, { isWhole } = { isWhole: true }): void {
    const { fileBytes, deployBytes } = this.limits;
    if (size > fileBytes) {
      const detail = isWhole
        ? `“${path}” is ${formatExcess(size, fileBytes).join(', but the limit for a file is ')}.`
        : `“${path}” is larger than the file size limit of ${formatBytes(fileBytes)}.`;
      refuse('too_large', detail, [{ path: field, message: `must not be larger than ${formatBytes(fileBytes)}` }]);
    }
    if (this.#bytes + size > deployBytes) refuseDeploySize(this.limits);
  }
}

const refuseDuplicate = (path: string, field: string): never =>
  refuse(
    'invalid_path',
    `“${path}” appears twice in the request.`,
    [{ path: `${field}.path`, message: 'appears twice in the request' }],
    { suggestion: 'Send each path once.' },
  );
