/** An entry in the tree of a commit. */
export type RepoEntry = {
  /** Relative path with forward slashes, as in git. Null if the name is not valid UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'submodule';
  /** Object ID of 40 or 64 hexadecimal digits. */
  readonly oid: string;
  /** Size in bytes, or 0 for a submodule. */
  readonly size: number;
  /** Whether the file is executable (mode 100755). */
  readonly isExecutable: boolean;
};

export type RepoAddress = {
  readonly url: string;
  /** A branch, a tag or a full commit ID, or null for the repository’s default branch. */
  readonly ref: string | null;
  /** Whether `ref` is a branch name. If so, tags and commits of that name are ignored. */
  readonly isBranch?: boolean;
};

/** One commit of a public repository, copied to this machine without a work tree. None of its code is run. */
export abstract class RepoCopy {
  /** The URL after redirects. Each redirect was checked like the first URL. */
  abstract readonly url: string;
  /** The requested ref, or the name of the default branch. */
  abstract readonly ref: string;
  /** What `ref` is. A commit has no name of its own. */
  abstract readonly refKind: 'branch' | 'tag' | 'commit';
  abstract readonly commit: string;

  /** The commit itself, as git stores it. Like `content`, it cannot be read while a file is. */
  abstract commitObject(): Promise<Uint8Array>;

  /** Returns all entries. Refuses with `too_many_files` if there are more than `atMost`. */
  abstract entries(atMost: number): Promise<readonly RepoEntry[]>;

  /** Streams the content of a file. Finish or stop reading it before you read the next one. */
  abstract content(entry: RepoEntry): AsyncIterable<Uint8Array>;

  /** Removes the copy from this machine. Idempotent. */
  abstract close(): Promise<void>;
}

/**
 * Public repositories on other hosts (docs/interface/repositories.md, "Repository URLs"). Every address that a name
 * resolves to must be public, unless the operator allows the host. Only addresses that were checked are contacted.
 */
export abstract class Repositories {
  /** What is missing on this machine and how to install it, or null if nothing is missing. */
  abstract readonly missing: string | null;

  /**
   * Returns the normalized address. Refuses with `builder_unavailable`, `invalid_request`, `repo_not_allowed`, or
   * `repo_unreachable` (for an unknown host name).
   */
  abstract admit(address: RepoAddress, signal: AbortSignal): Promise<RepoAddress>;

  /**
   * Returns the commit that `ref` points to, or null if the host does not list `ref`. Refuses for the same reasons as
   * `admit`.
   */
  abstract head(address: RepoAddress, signal: AbortSignal): Promise<string | null>;

  /**
   * Copies the commit. The copy may take up to 60 s and 256 MiB. Refuses for the same reasons as `admit`, and with
   * `too_large`. Throws the reason of an aborted signal.
   */
  abstract copy(address: RepoAddress, signal: AbortSignal): Promise<RepoCopy>;
}
