/** Something in the tree of a commit. */
export type RepoEntry = {
  /** Relative, forward slashes, as git has it; `null` for a name that is not UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'submodule';
  /** Of the object: 40 or 64 hexadecimal digits. */
  readonly oid: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
  /** Whether a file may be run (mode 100755). */
  readonly isExecutable: boolean;
};

export type RepoAddress = {
  readonly url: string;
  /** A branch, a tag or a commit’s full id; null for the repository’s own default. */
  readonly ref: string | null;
  /** Whether `ref` is the name of a branch: then neither a tag nor a commit takes its place. */
  readonly isBranch?: boolean;
};

/** One commit of a public repository, copied to this machine without a working tree. Nothing of it is ever run. */
export abstract class RepoCopy {
  /** Where it was found in the end: redirects are followed, each address checked as the first. */
  abstract readonly url: string;
  /** The name that was requested, or that of the default branch. */
  abstract readonly ref: string;
  abstract readonly commit: string;

  /** The whole tree. Refuses with `too_many_files` past `atMost` entries. */
  abstract entries(atMost: number): Promise<readonly RepoEntry[]>;

  /** The content of a file. It must be read to its end, or given up, before the next one is read. */
  abstract content(entry: RepoEntry): AsyncIterable<Uint8Array>;

  /** Nothing is left of it on this machine. Harmless to repeat. */
  abstract close(): Promise<void>;
}

/**
 * Public repositories elsewhere (docs/interface/repositories.md, "Repository URLs"). Every address that a name resolves
 * to must be public, or listed by the operator, and only those that were checked are connected to.
 */
export abstract class Repositories {
  /** What is missing on this machine, and how to get it; null when nothing is. */
  abstract readonly missing: string | null;

  /**
   * The address as it will be used. Refuses with `builder_unavailable`, `invalid_request`, `repo_not_allowed`,
   * `repo_unreachable` (its name is unknown).
   */
  abstract admit(address: RepoAddress, signal: AbortSignal): Promise<RepoAddress>;

  /** The commit that `ref` points to; null if the host does not list it. Refuses as `admit` does. */
  abstract head(address: RepoAddress, signal: AbortSignal): Promise<string | null>;

  /** Within 60 s and 256 MiB. Refuses as `admit` does, and with `too_large`. An aborted signal throws its reason. */
  abstract copy(address: RepoAddress, signal: AbortSignal): Promise<RepoCopy>;
}
