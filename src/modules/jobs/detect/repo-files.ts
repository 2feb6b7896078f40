import { FileSystem } from '@netlify/build-info';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { RepoCopy, RepoEntry } from '../../../kernel/ports/outside/repositories.js';

/** A tree with more entries than this can't be a site and is not examined. */
export const MAX_REPO_ENTRIES = 100_000;
/** Limits on how much of a file is read. Files with build settings are short. */
const MAX_BYTES = 1_048_576;
const MAX_START_BYTES = 65_536;

type FolderEntries = Map<string, 'directory' | 'file'>;

/** File system of a commit without a working tree. Files are listed once and read on demand. */
export class RepoFiles extends FileSystem {
  readonly #files = new Map<string, RepoEntry>();
  readonly #folders = new Map<string, FolderEntries>([['/', new Map()]]);
  readonly #read = new Map<string, Promise<string>>();
  #last: Promise<unknown> = Promise.resolve();
  override logger = silent;

  private constructor(
    private readonly copy: RepoCopy,
    readonly entries: readonly RepoEntry[],
  ) {
    super();
    for (const entry of entries) if (entry.kind === 'file' && entry.path !== null) this.#add(`/${entry.path}`, entry);
  }

  static async of(copy: RepoCopy): Promise<RepoFiles> {
    return new RepoFiles(copy, await copy.entries(MAX_REPO_ENTRIES));
  }

  has(path: string): boolean {
    return this.#files.has(this.resolve(path));
  }

  isFolder(path: string): boolean {
    return this.#folders.has(this.resolve(path));
  }

  listNames(path: string): readonly string[] {
    return [...(this.#folders.get(this.resolve(path))?.keys() ?? [])];
  }

  override getEnvironment() {
    return 'browser' as ReturnType<FileSystem['getEnvironment']>;
  }

  override async fileExists(path: string): Promise<boolean> {
    return this.has(path) || this.isFolder(path);
  }

  override readDir(path: string): Promise<string[]>;
  override readDir(path: string, withFileTypes: true): Promise<Record<string, 'directory' | 'file'>>;
  override async readDir(path: string, withFileTypes?: true) {
    const folder: FolderEntries = this.#folders.get(this.resolve(path)) ?? new Map();
    return withFileTypes ? Object.fromEntries(folder) : [...folder.keys()];
  }

  /**
   * Reads a file. Throws if it does not exist or is too long. Files are read one at a time, because git reads only one
   * at a time.
   */
  override readFile(path: string): Promise<string> {
    const full = this.resolve(path);
    const known = this.#read.get(full);
    if (known) return known;
    const reading = this.#last.then(() => this.#content(full));
    this.#last = reading.catch(heardElsewhere);
    this.#read.set(full, reading);
    return reading;
  }

  /** Reads up to 64 KiB of a file of any length. Throws if the file does not exist. */
  readStart(path: string): Promise<string> {
    const reading = this.#last.then(() => this.#content(this.resolve(path), MAX_START_BYTES));
    this.#last = reading.catch(heardElsewhere);
    return reading;
  }

  override resolve(...paths: string[]): string {
    const whole = paths.reduce((from, path) => (path.startsWith('/') ? path : `${from}/${path}`), this.cwd);
    return this.join(whole).replace(/(?<=.)\/$/, '');
  }

  override isAbsolute(path: string): boolean {
    return path.startsWith('/');
  }

  async #content(path: string, atMost?: number): Promise<string> {
    const entry = this.#files.get(path);
    if (!entry || (atMost === undefined && entry.size > MAX_BYTES))
      throw new Error(`${path} does not exist or is larger than 1 MiB.`);
    const pieces: Uint8Array[] = [];
    let left = atMost ?? MAX_BYTES;
    // Read the file to its end, even if it is too long, because git can't send the next file before that.
    for await (const piece of this.copy.content(entry)) {
      if (left > 0) pieces.push(piece.subarray(0, left));
      left -= piece.length;
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  #add(path: string, entry: RepoEntry): void {
    this.#files.set(path, entry);
    let kind: 'directory' | 'file' = 'file';
    for (let at = path; at !== '/'; ) {
      const slash = at.lastIndexOf('/');
      const parent = slash === 0 ? '/' : at.slice(0, slash);
      const known = this.#folders.get(parent);
      if (known) return void known.set(at.slice(slash + 1), kind);
      this.#folders.set(parent, new Map([[at.slice(slash + 1), kind]]));
      at = parent;
      kind = 'directory';
    }
  }
}

const nothing = () => undefined;
const silent = { debug: nothing, log: nothing, info: nothing, warn: nothing, error: nothing };
