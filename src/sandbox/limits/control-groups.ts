import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/** What a group holds its processes to. Processors, or parts of one, are bounded only where they are named. */
export type GroupLimits = Pick<BuildLimits, 'memoryBytes' | 'processes'> & { readonly cpus?: number };

/** The kernel’s own bounds of one build, or of one program. */
export type ControlGroup = {
  /** Files that a process writes its id to, before it becomes the build. */
  readonly doors: readonly string[];
  /** The group as a container engine takes a parent for its own; null where it is another in each hierarchy. */
  readonly parent: string | null;
  /** The limit that was met since it was last asked; null where none was. */
  exceeded(): Promise<Exceeded | null>;
  /** What it takes now, in bytes. */
  memoryBytes(): Promise<number | null>;
  /** Ends every process in it and in groups below it, and resolves when none is left. */
  kill(): Promise<void>;
  /** After `kill`. Harmless to repeat. */
  remove(): Promise<void>;
};

/** What this machine’s kernel can bound for us. */
export type ControlGroups = {
  readonly version: 1 | 2;
  make(name: string, limits: GroupLimits): Promise<ControlGroup>;
  /** Ends and removes the group of this name that a process has left, if there is one. */
  clear(name: string): Promise<void>;
};

/** Of this many microseconds a group has `cpus` times as many. */
export const PERIOD_US = 100_000;
