import type { BuildLimits, CommandEnd, OnOutput } from '../kernel/ports/outside/builder.js';
import type { Owner } from './workspace/owners.js';

/** Paths and limits of a build’s sandbox, on this machine. */
export type SandboxPlaces = {
  /** Unique name of the sandbox. */
  readonly name: string;
  /** Folder of the sandbox, not visible from inside. */
  readonly place: string;
  /** Folder of limited size, which contains the next three. */
  readonly disk: string;
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** The tool store, mounted read-only. */
  readonly tools: string;
  /** The socket of the egress proxy. */
  readonly proxy: string;
  readonly limits: BuildLimits;
  /** User who owns the written files; null for the user of this process. */
  readonly owner: Owner | null;
};

export type IsolatedCommand = {
  /** Script for `sh -c`. */
  readonly script: string;
  /** Path relative to the work tree. */
  readonly folder: string;
  /** All environment variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of cached dependencies; null for a command of the project, which must not see it. */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** Isolation of one sandbox: runs its commands apart from this machine. */
export type Walls = {
  /**
   * Runs a command to its end, and kills all processes it has started. Aborting the signal ends it and throws its
   * reason. Only exceeded memory and process limits are reported.
   */
  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;
  /** Ends running commands and removes everything. */
  remove(): Promise<void>;
};

/** An engine that isolates builds from this machine. The commands and folders are the same for all engines. */
export type Isolation = {
  readonly engine: 'bubblewrap' | 'container';
  /**
   * Prepares the engine in a folder of builds. Returns the reason why it cannot be used and a remedy; null if nothing
   * was found without running a command.
   */
  start(folder: string): Promise<string | null>;
  /** Prepares for the first sandbox: steps that take time or leave something on the machine. Throws if that fails. */
  prepare(): Promise<void>;
  /** Ends processes that a killed process left running in a sandbox. Call it after `start`. */
  clear(roomName: string): Promise<void>;
  /** Throws if the engine has not been started. */
  walls(room: SandboxPlaces): Promise<Walls>;
};
