import type { BuildLimits, CommandEnd, OnOutput } from '../kernel/ports/outside/builder.js';
import type { Owner } from './workspace/owners.js';

/** Paths and limits of a build’s sandbox on this machine. */
export type SandboxPlaces = {
  readonly name: string;
  /** Not visible from inside. */
  readonly place: string;
  /** Folder of limited size that contains the next three. */
  readonly disk: string;
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** Mounted read-only. */
  readonly tools: string;
  /** Path of the egress proxy’s socket. */
  readonly proxy: string;
  readonly limits: BuildLimits;
  /** Owner of files that the build writes; null for the user of this process. */
  readonly owner: Owner | null;
};

export type IsolatedCommand = {
  /** Script for `sh -c`. */
  readonly script: string;
  /** Relative to the work tree. */
  readonly folder: string;
  /** All environment variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Null for a command of the project, which must not see the cache. */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** The isolation of one sandbox. */
export type Walls = {
  /**
   * Runs a command, and then kills all processes that it left running. If the signal is aborted, ends the command and
   * throws the signal’s reason. Reports only memory and process limits as exceeded.
   */
  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;
  /** Ends running commands and removes the sandbox. */
  remove(): Promise<void>;
};

export type Isolation = {
  readonly engine: 'bubblewrap' | 'container';
  /** Returns why the engine cannot run builds in a folder, with a remedy, or null. Does not run any commands. */
  start(folder: string): Promise<string | null>;
  /** Called before the first sandbox, because it takes time or leaves something on the machine. Throws if it fails. */
  prepare(): Promise<void>;
  /** Ends processes that a killed process left in a sandbox. Must be called after `start`. */
  clear(roomName: string): Promise<void>;
  /** Throws if the engine has not been started. */
  walls(room: SandboxPlaces): Promise<Walls>;
};
