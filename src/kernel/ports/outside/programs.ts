import type { Exceeded, OnOutput } from './builder.js';

/** What one running program may use at most. */
export type ProgramLimits = {
  /** Of all its processes together, in bytes; what it keeps in memory files counts. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of what it writes: all of it is in memory, and gone with it. */
  readonly diskBytes: number;
  /** Processors, or parts of one. */
  readonly cpus: number;
};

/** A program that is to run. */
export type ProgramToRun = {
  readonly kind: 'next' | 'container';
  /** SHA-256 of its stored output or image, hexadecimal. */
  readonly digest: string;
  /** That output or image; read only where it is not here from an earlier run. */
  readonly content: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string>>;
  /** The only hosts that it reaches, on port 443 and at public addresses; none for no way out at all. */
  readonly hosts: readonly string[];
  readonly limits: ProgramLimits;
  /** Called with what it prints, as it is printed. */
  readonly onOutput: OnOutput;
  /** Called with each host that it was not let to, and why. */
  readonly onRefused: (host: string, why: string) => void;
};

export type ProgramEnd = {
  /** As a shell has it: 128 and the signal’s number for one that ended a process. */
  readonly exitCode: number;
  /** The limit that was the reason; null where none was. */
  readonly exceeded: Exceeded | null;
};

/** A program whose process was started. */
export abstract class RunningProgram {
  /** Resolves when it has ended, however that came to be. Never rejects. */
  abstract readonly ended: Promise<ProgramEnd>;

  /**
   * The path of the socket that it answers at; null while it listens at none. Whatever the program puts in its place
   * later, the path leads to the socket that was there when it was first answered.
   */
  abstract socketPath(): Promise<string | null>;

  /** What it takes now, in bytes; null where it cannot be told. */
  abstract memoryBytes(): Promise<number | null>;

  /** Ends it, with all that it has started. Resolves when nothing is left of it. Harmless to repeat. */
  abstract stop(): Promise<void>;
}

/** Thrown where a program cannot be started: what it consists of is not what it should be. `message` is for its owner. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
}

/**
 * Runs the programs of sites, which are foreign code: without a network, without rights, with nothing of this machine to
 * be seen and nothing to write to but memory.
 */
export abstract class Programs {
  /** What keeps this machine from running programs of this kind, and what to do; null where it can. Once it was tried. */
  abstract missing(kind: ProgramToRun['kind']): Promise<string | null>;

  /** Starts a program; whether it answers is to be seen. Refuses with `builder_unavailable`; throws `ProgramFault`. */
  abstract start(program: ProgramToRun, signal: AbortSignal): Promise<RunningProgram>;
}
