import type { BuildLimits, CommandEnd, OnOutput } from '../kernel/ports/outside/builder.js';
import type { Owner } from './workspace/owners.js';

export type SandboxPlaces = {
  readonly name: string;
  /** The sandbox’s own folder on this machine, which commands inside the sandbox cannot see. */
  readonly place: string;
  /** Folder of limited size that contains the work tree, the home folder and the temporary folder. */
  readonly disk: string;
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** Folder of the tool store, which is mounted read-only. */
  readonly tools: string;
  /** Path of the egress proxy’s socket. */
  readonly proxy: string;
  readonly limits: BuildLimits;
  /** Owner of the files that a build writes, or null for the user of this process. */
  readonly owner: Owner | null;
};

export type IsolatedCommand = {
  /** Script for `sh -c`. */
  readonly script: string;
  /** Working directory, relative to the work tree. */
  readonly folder: string;
  /** All environment variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Cached dependencies to mount. Null for a command of the project, because projects must not see the cache. */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** A sandbox that is isolated from this machine, for running commands. */
export type Walls = {
  /**
   * Runs a command, and then kills all processes that it left running. If the signal is aborted, ends the command and
   * throws the signal’s reason. The result reports only the memory and process limits as exceeded.
   */
  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;
  remove(): Promise<void>;
};

export type Isolation = {
  readonly engine: 'bubblewrap' | 'container';
  /** Prepares for builds in a folder. Returns null, or the reason why the engine cannot be used, with a remedy. */
  start(folder: string): Promise<string | null>;
  /**
   * Prepares for the first sandbox, for example by downloading an image. Called only when needed, because the image
   * stays on the machine. May throw.
   */
  prepare(): Promise<void>;
  /** Ends processes that a killed process of the service left running in a sandbox. Must be called after `start`. */
  clear(roomName: string): Promise<void>;
  /** Isolates a sandbox. Throws if the engine has not been started. */
  walls(places: SandboxPlaces): Promise<Walls>;
};
