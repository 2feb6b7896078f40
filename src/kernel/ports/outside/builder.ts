import type { RepoEntry } from './repositories.js';

/** Resource limits of one build. */
export type BuildLimits = {
  /** Memory limit for all of its processes together, in bytes. Includes files in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Size limit for everything that it writes: work tree, dependencies, output and temporary files. */
  readonly diskBytes: number;
  readonly diskFiles: number;
};

/** A limit that was exceeded, with its value as text. */
export type Exceeded = { readonly what: 'memory' | 'processes' | 'disk' | 'files'; readonly limit: string };

export type CommandEnd = {
  /** Exit code, as in a shell: 128 plus the signal number if a signal ended the process. */
  readonly exitCode: number;
  /** The limit that ended the command, or null if none did. */
  readonly exceeded: Exceeded | null;
};

/** An exact version (`10.34.8`) of a tool that commands can call in addition to the Node and npm of this machine. */
export type BuildTool = { readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'node'; readonly version: string };

/** A tool that commands can call until it is released. */
export type ProvidedTool = { readonly release: () => Promise<void> };

/**
 * Why a tool is missing. `unavailable`: the registry does not have this version or could not be reached. `owner_full`:
 * running builds use all of the owner’s space for tools. `full`: running builds use all of the space.
 */
export type ToolMissing = 'unavailable' | 'owner_full' | 'full';

/** Describes in provenance a tool that commands could call. */
export type ToolDescriptor = {
  readonly name: BuildTool['name'];
  /** A package URL (github.com/package-url/purl-spec) with the exact version. */
  readonly uri: string;
  /** Digest of the fetched package or of the executable in hexadecimal, or null if unknown. */
  readonly digest: { readonly sha256: string } | { readonly sha512: string } | null;
};

export type SandboxCommand = {
  /** A script that is passed to `sh -c`. */
  readonly script: string;
  /** The working folder, relative to the work tree. `.` is its root. */
  readonly folder: string;
  /** Tools that were provided before. If several contain a command of the same name, the first one has precedence. */
  readonly tools: readonly BuildTool[];
  /** All environment variables, except those that the sandbox itself sets. */
  readonly env: Readonly<Record<string, string>>;
};

/** Called with each chunk of output as a command prints it. The command blocks while the promise is pending. */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void>;

/** A file that a build created. Paths are relative to the requested folder and use forward slashes. */
export type OutputFile = {
  /** The file's path, or null if its name is not valid UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'other';
  /** Size in bytes, or 0 for anything other than a file. */
  readonly size: number;
  readonly modifiedMs: number;
};

/** A folder of a work tree, and its path in the archive. */
export type ArchivedFolder = { readonly folder: string; readonly at: string };

/** Thrown if the output of a build cannot be archived. The message states the reason. */
export class UnarchivableOutputError extends Error {
  override readonly name = 'UnarchivableOutputError';
}

/** Dependencies that one build installed and that are stored for later builds. */
export type KeptDependencies = {
  /** The job that installed them. */
  readonly jobId: string;
  /** `packages` are installed and ready to use. `downloads` are caches from which package managers can install. */
  readonly kind: 'packages' | 'downloads';
  /** Whether packages have install scripts. These have not been run. */
  readonly haveInstallScripts: boolean;
};

/** An entry of a work tree that was not written, and the reason. */
export type LeftOut = { readonly path: string; readonly why: string };

/** Files that the service adds to a work tree, by their paths. No entry of a commit can have such a path. */
export type OwnFiles = ReadonlyMap<string, Uint8Array>;

/** The sandbox of one build: a work tree, and commands that see nothing else of this machine. */
export abstract class Sandbox {
  /**
   * Writes the work tree of a commit and files of the service itself. Of the commit: files with their executable bit, and links that stay inside it. Returns the
   * entries
   * that were left out. Refuses with `too_large` and `too_many_files`.
   */
  abstract write(
    entries: readonly RepoEntry[],
    content: (entry: RepoEntry) => AsyncIterable<Uint8Array>,
    own?: OwnFiles,
  ): Promise<readonly LeftOut[]>;

  /**
   * Runs a command until it exits, then ends all processes that it started. If `signal` aborts, ends the command and
   * throws the signal's reason.
   */
  abstract run(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;

  /** Restores the dependencies stored under the key (64 hexadecimal digits). Returns null if there are none. */
  abstract restoreDependencies(key: string, signal: AbortSignal): Promise<KeptDependencies | null>;

  /** Reports whether the disk has room for the dependencies of another build. */
  abstract canKeepDependencies(): Promise<boolean>;

  /**
   * Stores the dependencies in this sandbox under the key, unless there is no room. The key must determine everything
   * that has run here, because every build with the same key gets these dependencies.
   */
  abstract keepDependencies(key: string, kept: KeptDependencies, signal: AbortSignal): Promise<void>;

  /** Lists everything below a folder of the work tree, without following links. Returns null if it is not a folder. */
  abstract files(folder: string): Promise<readonly OutputFile[] | null>;

  /** Streams the content of one of these files. */
  abstract content(folder: string, path: string): AsyncIterable<Uint8Array>;

  /**
   * Streams a tar of folders of the work tree. The same files always produce the same bytes: first `texts` in the order
   * of their paths, then files and the links that point inside the tree. Files of later folders replace those of
   * earlier ones. Throws `UnarchivableOutputError`.
   */
  abstract archive(
    texts: Readonly<Record<string, string>>,
    folders: readonly ArchivedFolder[],
  ): AsyncIterable<Uint8Array>;

  /** Ends all running processes and removes everything from this machine. Idempotent. */
  abstract close(): Promise<void>;
}

/** Runs untrusted code (docs/interface/repositories.md, "Builds"), always in a sandbox. */
export abstract class Builder {
  abstract readonly engine: 'bubblewrap' | 'container' | 'none';

  /** Whether builds run only in other processes of the service. If so, this process does not know what those can do. */
  readonly isElsewhere: boolean = false;

  /** Why this machine cannot build, and what to do about it. Null if it can, or if that is not known yet. */
  abstract readonly missing: string | null;

  /** Tests whether this machine can build. Returns why it cannot and what to do about it, or null if it can. */
  abstract tried(): Promise<string | null>;

  /** Fetches a tool from the registry if it is not present. `share` is the share of the site (`SiteShares`). */
  abstract provide(tool: BuildTool, share: string, signal: AbortSignal): Promise<ProvidedTool | ToolMissing>;

  /**
   * Describes what commands with these tools can call: the tools, which must have been provided, and those of this
   * machine.
   */
  abstract describe(tools: readonly BuildTool[]): Promise<readonly ToolDescriptor[]>;

  /**
   * Creates an empty sandbox. Calls `onRefused` with each host that a command could not reach, and the reason. Refuses
   * with `builder_unavailable`.
   */
  abstract open(limits: BuildLimits, onRefused: (host: string, why: string) => void): Promise<Sandbox>;
}
