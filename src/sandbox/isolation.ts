import type { BuildLimits, CommandEnd, OnOutput } from '../kernel/ports/outside/builder.js';
import type { Owner } from './workspace/owners.js';

/** Paths and limits of a build’s sandbox on this machine. */
export type SandboxPlaces = {
  /** Unique name of the sandbox. */
  readonly name: string;
  /** Folder that belongs to the sandbox. Not visible from inside. */
  readonly place: string;
  /** Folder of limited size that contains the next three folders. */
  readonly disk: string;
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** Folder of the tool store, which is mounted read-only. */
  readonly tools: string;
  /** Path of the egress proxy’s socket. */
  readonly proxy: string;
  readonly limits: BuildLimits;
  /** User who owns the files that the build writes; null for the user of this process. */
  readonly owner: Owner | null;
};

export type IsolatedCommand = {
  /** Script to run with `sh -c`. */
  readonly script: string;
  /** Working directory, relative to the work tree. */
  readonly folder: string;
  /** All environment variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Folder of cached dependencies. Null for a command that comes from the project, because it must not see the cache.
   */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** The isolation of one sandbox. Runs commands without giving them access to this machine. */
export type Walls = {
  /**
   * Runs a command until it exits, and then kills all processes that it started. If the signal is aborted, ends the
   * command and throws the signal’s reason. Reports only memory and process limits as exceeded.
   */
  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;
  /** Ends running commands and removes the sandbox. */
  remove(): Promise<void>;
};

/** An engine that isolates builds from this machine. Commands and folders are the same for all engines. */
export type Isolation = {
  readonly engine: 'bubblewrap' | 'container';
  /**
   * Prepares the engine to run builds in a folder. Returns why the engine cannot be used, with a remedy, or null if no
   * problem was found. Does not run any commands.
   */
  start(folder: string): Promise<string | null>;
  /**
   * Prepares for the first sandbox. Called only when needed, because it takes time or leaves something on the machine.
   * Throws if it fails.
   */
  prepare(): Promise<void>;
  /** Ends processes that a killed process left running in a sandbox. Can only be called after `start`. */
  clear(roomName: string): Promise<void>;
  /** Creates the isolation of a sandbox. Throws if the engine has not been started. */
  walls(room: SandboxPlaces): Promise<Walls>;
};
