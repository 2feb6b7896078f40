import type { RepoEntry } from './repositories.js';

/** What one build may use at most. */
export type BuildLimits = {
  /** Of all its processes together, in bytes; what it keeps in memory files counts. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of everything it writes: work tree, dependencies, output, temporary files. */
  readonly diskBytes: number;
  readonly diskFiles: number;
};

/** A limit that was met, with the figure to say it in words. */
export type Exceeded = { readonly what: 'memory' | 'processes' | 'disk' | 'files'; readonly limit: string };

export type CommandEnd = {
  /** As a shell has it: 128 and the signal’s number for one that ended a process. */
  readonly exitCode: number;
  /** Why, where a limit was the reason; null where it was not. */
  readonly exceeded: Exceeded | null;
};

/** A program of an exact version (`10.34.8`) that commands may call beside the machine’s own Node and npm. */
export type BuildTool = { readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'node'; readonly version: string };

/** A tool that commands can call until it is released. */
export type ProvidedTool = { readonly release: () => Promise<void> };

/**
 * Why a tool is missing: the registry does not have this version or could not be reached, running builds use all of the
 * owner’s space for tools, or running builds use all of the space.
 */
export type ToolMissing = 'unavailable' | 'owner_full' | 'full';

/** A program that commands may call, as a statement about a build names it. */
export type ToolDescriptor = {
  readonly name: BuildTool['name'];
  /** A package URL (github.com/package-url/purl-spec), with its exact version. */
  readonly uri: string;
  /** Of the package as it was fetched, or of the program itself, hexadecimal; null where it is not known. */
  readonly digest: { readonly sha256: string } | { readonly sha512: string } | null;
};

export type SandboxCommand = {
  /** For `sh -c`. */
  readonly script: string;
  /** Relative to the work tree, `.` is its root. */
  readonly folder: string;
  /** Each was provided before. The first that has a command of a name is the one that is called. */
  readonly tools: readonly BuildTool[];
  /** All of the environment, beside what the sandbox needs itself. */
  readonly env: Readonly<Record<string, string>>;
};

/** Called with what a command prints, as it is printed. The command waits while the promise is pending. */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void>;

/** Something that a build has left. Paths are relative to the folder that was asked for, forward slashes. */
export type OutputFile = {
  /** Null for a name that is not UTF-8. */
  readonly path: string | null;
  readonly kind: 'file' | 'link' | 'other';
  /** Bytes; 0 for what is no file. */
  readonly size: number;
  readonly modifiedMs: number;
};

/** A folder of a work tree, and where an archive has it. */
export type ArchivedFolder = { readonly folder: string; readonly at: string };

/** What a build has left cannot be archived; the message says what stands in the way. */
export class NotArchived extends Error {
  override readonly name = 'NotArchived';
}

/** Dependencies that were installed for one build and are kept for later ones. */
export type KeptDependencies = {
  /** The job that installed them. */
  readonly jobId: string;
  /** `packages` are installed and can be used; `downloads` are the stores of package managers, to install from. */
  readonly kind: 'packages' | 'downloads';
  /** Whether packages have install scripts, which have not run. */
  readonly haveInstallScripts: boolean;
};

/** An entry of a work tree that was not written, and why. */
export type LeftOut = { readonly path: string; readonly why: string };

/** The room of one build: a work tree, and commands that see nothing else of this machine. */
export abstract class Sandbox {
  /**
   * Writes the work tree of a commit: files with their right to be run, and links that stay inside it. Answers what was
   * left out. Refuses with `too_large` and `too_many_files`.
   */
  abstract write(
    entries: readonly RepoEntry[],
    content: (entry: RepoEntry) => AsyncIterable<Uint8Array>,
  ): Promise<readonly LeftOut[]>;

  /** Runs a command to its end; nothing that it has started lives on. An aborted signal ends it and throws its reason. */
  abstract run(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;

  /** Restores what was kept under the key (64 hexadecimal digits); null if nothing was. */
  abstract restoreDependencies(key: string, signal: AbortSignal): Promise<KeptDependencies | null>;

  /** Whether there is room on the disk to keep the dependencies of another build. */
  abstract canKeepDependencies(): Promise<boolean>;

  /**
   * Keeps the dependencies in this sandbox under the key. Everything that has run here must follow from the key: every
   * build that has the key gets what is kept. Keeps nothing if there is no room.
   */
  abstract keepDependencies(key: string, kept: KeptDependencies, signal: AbortSignal): Promise<void>;

  /** Everything under a folder of the work tree, links never followed; null where it is no folder. */
  abstract files(folder: string): Promise<readonly OutputFile[] | null>;

  /** The bytes of one of these files. */
  abstract content(folder: string, path: string): AsyncIterable<Uint8Array>;

  /**
   * Folders of the work tree as one tar, the same bytes for the same files: `texts` by their paths first, then files and
   * links that stay inside, a file of a later folder in the place of one of an earlier. Made while it is read. Throws
   * `NotArchived`.
   */
  abstract archive(
    texts: Readonly<Record<string, string>>,
    folders: readonly ArchivedFolder[],
  ): AsyncIterable<Uint8Array>;

  /** Ends what still runs; nothing is left of it on this machine. Harmless to repeat. */
  abstract close(): Promise<void>;
}

/** Where foreign code is run (docs/interface/repositories.md, "Builds"): never on the bare machine. */
export abstract class Builder {
  abstract readonly engine: 'bubblewrap' | 'container' | 'none';

  /** Whether other processes of the service build, and this one never does: then it knows nothing of what they can. */
  readonly isElsewhere: boolean = false;

  /** What keeps this machine from building, and what to do; null where it can. As far as it is known. */
  abstract readonly missing: string | null;

  /** What keeps this machine from building, and what to do; null where it can. Resolves once it was tried. */
  abstract tried(): Promise<string | null>;

  /** Fetches a tool from the registry, unless it is here. `share` is the share of the site (`SiteShares`). */
  abstract provide(tool: BuildTool, share: string, signal: AbortSignal): Promise<ProvidedTool | ToolMissing>;

  /** What commands with these tools call: the tools, each provided before, and the machine’s own beside them. */
  abstract describe(tools: readonly BuildTool[]): Promise<readonly ToolDescriptor[]>;

  /**
   * Makes an empty sandbox. `onRefused` is called with each host that a command was not let to, and why. Refuses with
   * `builder_unavailable`.
   */
  abstract open(limits: BuildLimits, onRefused: (host: string, why: string) => void): Promise<Sandbox>;
}
