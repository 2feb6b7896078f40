import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/** Limits of a group. The CPU is limited only if `cpus` is given, which may be a fraction. */
export type GroupLimits = Pick<BuildLimits, 'memoryBytes' | 'processes'> & { readonly cpus?: number };

/** Kernel-enforced limits of one build or server. */
export type ControlGroup = {
  /** Files to which a process writes its ID before it becomes the build. */
  readonly doors: readonly string[];
  /** Path to pass to a container engine as the parent group; null if it differs between hierarchies. */
  readonly parent: string | null;
  /** Returns the limit that was reached since the last call; null for none. */
  exceeded(): Promise<Exceeded | null>;
  /** Returns the memory in use, in bytes. */
  memoryBytes(): Promise<number | null>;
  /** Kills all processes in the group and in child groups. Resolves when none is left. */
  kill(): Promise<void>;
  /** Call it after `kill`. Harmless to repeat. */
  remove(): Promise<void>;
};

/** Access to the control groups of the kernel. */
export type ControlGroupTree = {
  readonly version: 1 | 2;
  make(name: string, limits: GroupLimits): Promise<ControlGroup>;
  /** Ends and removes the group of this name if an earlier process has left it. */
  clear(name: string): Promise<void>;
};

/** Period of the CPU quota: a group may run for `cpus` times this long in each period. */
export const PERIOD_US = 100_000;
