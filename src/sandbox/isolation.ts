import type { BuildLimits, CommandEnd, OnOutput } from '../kernel/ports/outside/builder.js';
import type { Owner } from './workspace/owners.js';

/** Of one build, on the machine’s side. */
export type RoomPlaces = {
  /** No other room has it. */
  readonly name: string;
  /** Of the room, and not seen from inside. */
  readonly place: string;
  /** Of limited size; the next three are in it. */
  readonly disk: string;
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** The tool store: to be seen, not changed. */
  readonly tools: string;
  /** The socket of the egress proxy. */
  readonly proxy: string;
  readonly limits: BuildLimits;
  /** The user who owns what is written; null for our own user. */
  readonly owner: Owner | null;
};

export type IsolatedCommand = {
  /** For `sh -c`. */
  readonly script: string;
  /** Relative to the work tree. */
  readonly folder: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Of dependencies that are kept between builds; null for a command of a project, which never sees it. */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** The walls of one room, between its commands and this machine. */
export type Walls = {
  /**
   * Runs a command to its end; nothing that it has started lives on. An aborted signal ends it and throws its reason.
   * Limits of memory and processes alone are said to be exceeded.
   */
  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd>;
  /** Ends what still runs, and leaves nothing. */
  remove(): Promise<void>;
};

/** How an engine keeps builds apart from this machine. What it runs, and in which folders, is the same for each. */
export type Isolation = {
  readonly engine: 'bubblewrap' | 'container';
  /**
   * Gets ready, in a folder of builds. Answers what keeps this machine from it, and what to do; null where nothing does,
   * as far as can be seen without running anything.
   */
  start(folder: string): Promise<string | null>;
  /** Before its first room: what takes a while, or leaves something on the machine. Throws where it cannot be. */
  prepare(): Promise<void>;
  /** After `start`: ends what a process that was killed has left running in a room. */
  clear(roomName: string): Promise<void>;
  /** Throws where it was not started. */
  walls(room: RoomPlaces): Promise<Walls>;
};
