import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/** Limits of a group. The CPU is only limited if `cpus` is set. It can be a fraction. */
export type GroupLimits = Pick<BuildLimits, 'memoryBytes' | 'processes'> & { readonly cpus?: number };

/** Limits of one build or server that the kernel enforces. */
export type ControlGroup = {
  /** Files to which a process must write its ID before it becomes the build. */
  readonly doors: readonly string[];
  /** Path to pass to a container engine as the parent group. Null if the path differs between hierarchies. */
  readonly parent: string | null;
  /** Returns a limit that was reached since the last call, or null if there was none. */
  exceeded(): Promise<Exceeded | null>;
  /** Returns the memory in use, in bytes, or null if it is unknown. */
  memoryBytes(): Promise<number | null>;
  /** Kills all processes in the group and its child groups. Resolves when no processes are left. */
  kill(): Promise<void>;
  /** Removes the group. Must be called after `kill`. Repeated calls are harmless. */
  remove(): Promise<void>;
};

/** Access to the kernel’s control groups. */
export type ControlGroupTree = {
  readonly version: 1 | 2;
  make(name: string, limits: GroupLimits): Promise<ControlGroup>;
  /** Ends and removes the group with this name if an earlier process left it behind. */
  clear(name: string): Promise<void>;
};

/** Period of the CPU quota. In each period, a group can use CPU time of `cpus` times this length. */
export const PERIOD_US = 100_000;
