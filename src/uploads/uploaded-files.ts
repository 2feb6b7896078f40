import { hash } from 'node:crypto';
import type { Blob, BlobIntake } from '../blobs/blob-store.js';
import { encodeManifest } from '../blobs/manifest.js';
import { refuse } from '../kernel/refusal.js';
import type { DeployLimits } from '../settings.js';
import type { Incoming } from './bodies/uploaded-entry.js';
import { Inspection } from './checks/content-inspection.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { SitePaths, sitePath } from './checks/site-path.js';

type Said<What = unknown> = { readonly path: string; readonly field: string } & What;
export type GivenFile = Said<Blob>;

/** What a body brought, checked as it arrives: its files, what it names, what it takes away. */
export class Brought {
  readonly files: GivenFile[] = [];
  /** Content that the caller has here already, by its digest. */
  readonly named: Said<{ readonly sha256: string }>[] = [];
  readonly removed: Said[] = [];

  readonly #paths = new SitePaths();
  readonly #removed = new Set<string>();
  readonly #inspection = new Inspection();
  #archived = 0;
  #bytes = 0;

  /** `mayRemove` where there is something that could go. */
  constructor(
    private readonly limits: DeployLimits,
    private readonly mayRemove: boolean,
  ) {}

  get warnings(): readonly DeployWarning[] {
    return this.#inspection.warnings;
  }

  async add(one: Incoming, intake: BlobIntake): Promise<void> {
    if ('leftOut' in one) return this.#inspection.leftOut(one.path, one.leftOut);
    const { field } = one;
    const path = sitePath(one.path, `${field}.path`);
    if (this.#paths.count + this.#removed.size >= this.limits.files)
      refuse('too_many_files', `A deploy may have ${this.limits.files} files.`);

    if ('delete' in one) return this.#remove(path, field);
    this.#paths.add(path, `${field}.path`);
    if (this.#removed.has(path)) twice(path, field);
    if ('sha256' in one) this.named.push({ path, field, sha256: one.sha256 });
    else {
      const blob = await intake.add(this.#watched(one.content, path, field));
      this.#bytes += blob.size;
      this.files.push({ path, field, ...blob });
      if (one.inArchive) this.#archived++;
    }
  }

  /** Everything has arrived, and `sizes` are those of the named content. */
  complete(sizes: ReadonlyMap<string, number>): void {
    for (const one of this.named) {
      const size = sizes.get(one.sha256) ?? 0;
      this.#check(size, one.path, one.field);
      this.#bytes += size;
      this.files.push({ ...one, size });
    }
    if (this.files.length + this.removed.length === 0) refuse('no_files');
    if (this.#archived > 0) this.#stripFolder();
  }

  /** The digest of what was said, whatever it was said of: equal for the same request sent again. */
  get digest(): string {
    const { text } = encodeManifest(this.files);
    const gone = this.removed.map(({ path }) => `delete ${path}\n`).sort();
    return hash('sha256', Buffer.concat([text, Buffer.from(gone.join(''))]));
  }

  #remove(path: string, field: string): void {
    if (!this.mayRemove) {
      const message = 'is only for mode=merge';
      refuse('invalid_request', `${field}.delete ${message}.`, [{ path: `${field}.delete`, message }]);
    }
    if (this.#removed.has(path) || this.files.some((file) => file.path === path)) twice(path, field);
    this.#removed.add(path);
    this.removed.push({ path, field });
  }

  /** People archive a folder, and mean what is in it. */
  #stripFolder(): void {
    const folder = this.files[0]?.path.split('/', 1)[0] ?? '';
    if (!this.files.every(({ path }) => path.startsWith(`${folder}/`))) return;
    const stripped = (path: string) => path.slice(folder.length + 1);
    for (const [index, file] of this.files.entries())
      this.files[index] = { ...file, path: sitePath(stripped(file.path), `${file.field}.path`) };
    this.#inspection.rename((path) => (path.startsWith(`${folder}/`) ? stripped(path) : path));
  }

  /** The content, looked at as it passes, and refused with `too_large` as soon as it is. */
  #watched(content: Uint8Array | AsyncIterable<Uint8Array>, path: string, field: string) {
    if (content instanceof Uint8Array) {
      this.#check(content.length, path, field);
      this.#inspection.of(path, [content]);
      return content;
    }
    return this.#watchedPieces(content, path, field);
  }

  async *#watchedPieces(content: AsyncIterable<Uint8Array>, path: string, field: string): AsyncGenerator<Uint8Array> {
    const inspected = this.#inspection.start(path);
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      this.#check(size, path, field);
      inspected.see(piece);
      yield piece;
    }
    inspected.end();
  }

  #check(size: number, path: string, field: string): void {
    const { fileBytes, deployBytes } = this.limits;
    if (size > fileBytes) {
      refuse('too_large', `${path} has more than ${fileBytes} bytes, the most a file may have.`, [
        { path: field, message: 'is too large' },
      ]);
    }
    if (this.#bytes + size > deployBytes)
      refuse('too_large', `The files have more than ${deployBytes} bytes together, the most a deploy may have.`);
  }
}

const twice = (path: string, field: string): never =>
  refuse('invalid_path', `“${path}” is in the request twice.`, [
    { path: `${field}.path`, message: 'is in the request twice' },
  ]);
