import type { RepoEntry } from './repositories.js';

export type BuildLimits = {
  /** Memory limit for all processes of a build together, including files in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Size limit for all files together: work tree, dependencies, output and temporary files. */
  readonly diskBytes: number;
  readonly diskFiles: number;
};

export type Exceeded = { readonly what: 'memory' | 'processes' | 'disk' | 'files'; readonly limit: string };

export type CommandEnd = {
  /** Exit code, as in a shell: 128 plus the signal number if a signal ended the process. */
  readonly exitCode: number;
  readonly exceeded: Exceeded | null;
};

/** An exact version (`10.34.8`) of a tool that commands can use in addition to this machine's Node and npm. */
export type BuildTool = { readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'node'; readonly version: string };

/** A tool that stays available until it is released. */
export type ProvidedTool = { readonly release: () => Promise<void> };

/**
 * Reasons why a tool can't be provided. `unavailable`: the registry does not have this version or is unreachable.
 * `owner_full` and `full`: running builds, of this owner or of all owners, use all of the space for tools.
 */
export type ToolMissing = 'unavailable' | 'owner_full' | 'full';

/** A tool as listed in the provenance of a build. */
export type ToolDescriptor = {
  readonly name: BuildTool['name'];
  /** A package URL (github.com/package-url/purl-spec) with the exact version. */
  readonly uri: string;
  /** Hexadecimal digest of the downloaded package or of the executable, or null if unknown. */
  readonly digest: { readonly sha256: string } | { readonly sha512: string } | null;
};

export type SandboxCommand = {
  /** A script for `sh -c`. */
  readonly script: string;
  /** The working folder, relative to the work tree. `.` means the work tree itself. */
  readonly folder: string;
  /** Tools that were already provided. If several contain a command of the same name, the first one has precedence. */
  readonly tools: readonly BuildTool[];
  /** Environment variables, in addition to those that the sandbox itself sets. */
  readonly env: Readonly<Record<string, string>>;
};

/** Called with each chunk of output. The command blocks while the promise is pending. */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void>;

/** An entry of a listed folder. Its path is relative to that folder and uses forward slashes. */
export type OutputFile = {
  /** The file's path, or null if its name is not valid UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'other';
  /** Size in bytes. 0 for anything other than a file. */
  readonly size: number;
  readonly modifiedMs: number;
};

/** A folder of a work tree, and its path in the archive. */
export type ArchivedFolder = { readonly folder: string; readonly at: string };

export class UnarchivableOutputError extends Error {
  override readonly name = 'UnarchivableOutputError';
}

/** Dependencies that one build installed, stored for later builds. */
export type KeptDependencies = {
  readonly jobId: string;
  /** `packages` are installed and ready to use. `downloads` are caches from which package managers can install. */
  readonly kind: 'packages' | 'downloads';
  /** True if some packages have install scripts. These have not been run. */
  readonly haveInstallScripts: boolean;
};

export type LeftOut = { readonly path: string; readonly why: string };

/**
 * Files that the service adds to a work tree, by path. The paths must be ones that Git rejects in commits, so that a
 * commit can't contain a file with the same path.
 */
export type OwnFiles = ReadonlyMap<string, Uint8Array>;

/** The sandbox of one build: a work tree, and commands that can't access anything else on this machine. */
export abstract class Sandbox {
  /**
   * Writes the service's own files and, of a commit, the files (with their executable bit) and the links that point
   * inside the work tree. Returns the entries that were left out. Refuses with `too_large` and `too_many_files`.
   */
  abstract write(
    entries: readonly RepoEntry[],
    content: (entry: RepoEntry) => AsyncIterable<Uint8Array>,
    own?: OwnFiles,
  ): Promise<readonly LeftOut[]>;

  /** Runs a command, then ends all its processes. If `signal` aborts, ends the command and throws the reason. */
  abstract run(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;

  /** Restores the dependencies stored under `key` (64 hexadecimal digits). Returns null if there are none. */
  abstract restoreDependencies(key: string, signal: AbortSignal): Promise<KeptDependencies | null>;

  abstract canKeepDependencies(): Promise<boolean>;

  /**
   * Stores this sandbox's dependencies if there is space. Every build with the same key gets these dependencies, so
   * `key` must be derived from everything that has run in the sandbox.
   */
  abstract keepDependencies(key: string, kept: KeptDependencies, signal: AbortSignal): Promise<void>;

  /** Lists everything below a folder, without following links. Returns null if it is not a folder. */
  abstract files(folder: string): Promise<readonly OutputFile[] | null>;

  abstract content(folder: string, path: string): AsyncIterable<Uint8Array>;

  /**
   * Streams a reproducible tar of the files in `texts`, then the files of `folders` and the links that point inside the
   * work tree. If a path occurs more than once, the last folder takes precedence. Throws `UnarchivableOutputError`.
   */
  abstract archive(
    texts: Readonly<Record<string, string>>,
    folders: readonly ArchivedFolder[],
  ): AsyncIterable<Uint8Array>;

  /** Ends all processes and removes the sandbox from this machine. Idempotent. */
  abstract close(): Promise<void>;
}

/** Runs untrusted code (docs/interface/repositories.md, "Builds"), always in a sandbox. */
export abstract class Builder {
  abstract readonly engine: 'bubblewrap' | 'container' | 'none';

  /** True if builds run only in other processes, whose capabilities this process does not know. */
  readonly isElsewhere: boolean = false;

  /** The reason why this machine cannot build, with a remedy. Null if it can build or if this is not known yet. */
  abstract readonly missing: string | null;

  /** Tests whether this machine can build. Returns the reason why it cannot, with a remedy, or null if it can. */
  abstract tried(): Promise<string | null>;

  /** Fetches a tool if it is not present. `share` identifies the user or network whose space for tools is used. */
  abstract provide(tool: BuildTool, share: string, signal: AbortSignal): Promise<ProvidedTool | ToolMissing>;

  /**
   * Describes all tools that commands can use: this machine's own tools and `tools`, each of which must have been
   * provided.
   */
  abstract describe(tools: readonly BuildTool[]): Promise<readonly ToolDescriptor[]>;

  /** Creates an empty sandbox. Calls `onRefused` for each unreachable host. Refuses with `builder_unavailable`. */
  abstract open(limits: BuildLimits, onRefused: (host: string, why: string) => void): Promise<Sandbox>;
}
