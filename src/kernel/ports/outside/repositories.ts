/** An entry in the tree of a commit. */
export type RepoEntry = {
  /** Relative, with forward slashes, as in git; null if the name is not UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'submodule';
  /** Object ID: 40 or 64 hexadecimal digits. */
  readonly oid: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
  /** Whether the file is executable (mode 100755). */
  readonly isExecutable: boolean;
};

export type RepoAddress = {
  readonly url: string;
  /** A branch, a tag or a full commit ID; null for the repository’s default branch. */
  readonly ref: string | null;
  /** Whether `ref` is a branch name: tags and commits of that name are then ignored. */
  readonly isBranch?: boolean;
};

/** One commit of a public repository, copied to this machine without a work tree. None of its code runs. */
export abstract class RepoCopy {
  /** The URL after redirects, each of which was checked like the first URL. */
  abstract readonly url: string;
  /** The requested ref, or the name of the default branch. */
  abstract readonly ref: string;
  /** What `ref` is. A commit has no name of its own. */
  abstract readonly refKind: 'branch' | 'tag' | 'commit';
  abstract readonly commit: string;

  /** The commit itself, as git stores it. Like `content`, it cannot be read while a file is. */
  abstract commitObject(): Promise<Uint8Array>;

  /** All entries. Refuses with `too_many_files` if there are more than `atMost`. */
  abstract entries(atMost: number): Promise<readonly RepoEntry[]>;

  /** The content of a file. Read it to its end, or stop reading, before you read the next one. */
  abstract content(entry: RepoEntry): AsyncIterable<Uint8Array>;

  /** Removes the copy from this machine. Idempotent. */
  abstract close(): Promise<void>;
}

/**
 * Public repositories on other hosts (docs/interface/repositories.md, "Repository URLs"). Every address that a name
 * resolves to must be public or allowed by the operator, and connections go only to addresses that were checked.
 */
export abstract class Repositories {
  /** What is missing on this machine, and how to install it; null if nothing is. */
  abstract readonly missing: string | null;

  /**
   * Returns the normalized address. Refuses with `builder_unavailable`, `invalid_request`, `repo_not_allowed`, and
   * `repo_unreachable` (unknown host name).
   */
  abstract admit(address: RepoAddress, signal: AbortSignal): Promise<RepoAddress>;

  /** The commit that `ref` points to; null if the host does not list `ref`. Refuses as `admit` does. */
  abstract head(address: RepoAddress, signal: AbortSignal): Promise<string | null>;

  /**
   * Copies the commit, in at most 60 s and 256 MiB. Refuses as `admit` does, and with `too_large`. Throws the reason of
   * an
   * aborted signal.
   */
  abstract copy(address: RepoAddress, signal: AbortSignal): Promise<RepoCopy>;
}
