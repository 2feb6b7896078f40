export type RepoEntry = {
  /** Relative path with forward slashes, or null if the name is not valid UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'submodule';
  /** Object ID of 40 or 64 hexadecimal digits. */
  readonly oid: string;
  /** Size in bytes; 0 for a submodule. */
  readonly size: number;
  readonly isExecutable: boolean;
};

export type RepoAddress = {
  readonly url: string;
  /** A branch, a tag or a full commit ID. Null for the default branch. */
  readonly ref: string | null;
  /** True if `ref` is a branch, so that tags and commits of the same name are ignored. */
  readonly isBranch?: boolean;
};

/** One commit of a public repository, copied to this machine without a work tree. None of its code is run. */
export abstract class RepoCopy {
  /** The URL after redirects, each of which was checked like the first URL. */
  abstract readonly url: string;
  /** The requested ref, or the name of the default branch. */
  abstract readonly ref: string;
  abstract readonly refKind: 'branch' | 'tag' | 'commit';
  abstract readonly commit: string;

  /** Returns the raw commit object. As with `content`, only one object can be read at a time. */
  abstract commitObject(): Promise<Uint8Array>;

  /** Returns all entries. Refuses with `too_many_files` if there are more than `atMost`. */
  abstract entries(atMost: number): Promise<readonly RepoEntry[]>;

  /** Streams a file. The caller must finish or stop reading it before reading the next file. */
  abstract content(entry: RepoEntry): AsyncIterable<Uint8Array>;

  abstract close(): Promise<void>;
}

/**
 * Public repositories on other hosts (docs/interface/repositories.md, "Repository URLs"). Only connects to public
 * addresses, unless the operator allows the host.
 */
export abstract class Repositories {
  /** Names of the programs that must still be installed on this machine, or null if none is missing. */
  abstract readonly missing: string | null;

  /**
   * Returns the normalized address. Refuses with `builder_unavailable`, `invalid_request`, `repo_not_allowed`, or
   * `repo_unreachable` (for an unknown host name).
   */
  abstract admit(address: RepoAddress, signal: AbortSignal): Promise<RepoAddress>;

  /** Returns the commit that `ref` points to, or null if there is none. Refuses for the same reasons as `admit`. */
  abstract head(address: RepoAddress, signal: AbortSignal): Promise<string | null>;

  /**
   * Copies the commit, which may take up to 60 s and 256 MiB. Refuses for the same reasons as `admit`, and with
   * `too_large`. Throws the reason of an aborted signal.
   */
  abstract copy(address: RepoAddress, signal: AbortSignal): Promise<RepoCopy>;
}
