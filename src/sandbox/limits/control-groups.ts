import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/** Limits of a control group. The CPU is only limited if `cpus` is set. `cpus` can be a fraction. */
export type GroupLimits = Pick<BuildLimits, 'memoryBytes' | 'processes'> & { readonly cpus?: number };

/** A control group, in which the kernel enforces the limits of one build or server. */
export type ControlGroup = {
  /** Files to which a process must write its ID to enter the group, before it executes the build or server. */
  readonly doors: readonly string[];
  /** Parent group to pass to a container engine. Null if the path differs between hierarchies of control groups. */
  readonly parent: string | null;
  /** Returns a limit that was reached since the last call, or null if there is none. */
  exceeded(): Promise<Exceeded | null>;
  memoryBytes(): Promise<number | null>;
  /** Kills all processes in the group and its child groups. Resolves when none are left. */
  kill(): Promise<void>;
  /** Removes the group. Must be called after `kill`. Repeated calls are harmless. */
  remove(): Promise<void>;
};

export type ControlGroupTree = {
  readonly version: 1 | 2;
  make(name: string, limits: GroupLimits): Promise<ControlGroup>;
  /** Ends all processes of a group that an earlier process left behind, and removes the group. */
  clear(name: string): Promise<void>;
};

/**
 * Length of a CPU quota period in microseconds. Per period, a group can use this much CPU time multiplied by `cpus`.
 */
export const PERIOD_US = 100_000;
