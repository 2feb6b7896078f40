import type { Exceeded, OnOutput } from './builder.js';

/** Resource limits of one running server. */
export type ServerLimits = {
  /** Memory limit for all of its processes together, in bytes. Includes files in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Size limit for everything that it writes. All of it is in memory and is lost when the server exits. */
  readonly diskBytes: number;
  /** Number of processors, which can be a fraction. */
  readonly cpus: number;
};

/** A server that should be started. */
export type ServerToRun = {
  readonly kind: 'next' | 'container';
  /** SHA-256 hash of its stored output or image in hexadecimal. */
  readonly digest: string;
  /** Streams that output or image. It is read only if no copy from an earlier run exists here. */
  readonly content: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string>>;
  /** The only hosts that it can reach, at public addresses and on port 443. If empty, it has no network access. */
  readonly hosts: readonly string[];
  readonly limits: ServerLimits;
  /** Called with each chunk of its output as it is printed. */
  readonly onOutput: OnOutput;
  /** Called with each host that it could not reach, and the reason. */
  readonly onRefused: (host: string, why: string) => void;
};

export type ServerExit = {
  /** Exit code, as in a shell: 128 plus the signal number if a signal ended the process. */
  readonly exitCode: number;
  /** The limit that ended the server, or null if none did. */
  readonly exceeded: Exceeded | null;
};

/** A server whose process was started. */
export abstract class RunningServer {
  /** Resolves when the server has exited, for whatever reason. Never rejects. */
  abstract readonly ended: Promise<ServerExit>;

  /**
   * Returns the path of the socket on which the server listens, or null if it does not listen yet. The path always
   * leads to the socket that existed when it was first returned, even if the server replaces that socket.
   */
  abstract socketPath(): Promise<string | null>;

  /** Why it may not respond, and what to change; null if nothing is known. */
  async whySilent(): Promise<string | null> {
    return null;
  }

  /** Returns the current memory usage in bytes, or null if unknown. */
  abstract memoryBytes(): Promise<number | null>;

  /** Stops the server and all processes that it started. Resolves when all of them have exited. Idempotent. */
  abstract stop(): Promise<void>;
}

/**
 * Thrown if a server cannot be started because its stored output or image is invalid. `message` is for the owner of the
 * site.
 */
export class UnrunnableServerError extends Error {
  override readonly name = 'UnrunnableServerError';
}

/**
 * Runs the servers of sites, which are untrusted code. They have no network and no privileges, cannot access this
 * machine, and can only write to memory.
 */
export abstract class ServerRunner {
  /**
   * Tests whether this machine can run servers of this kind. Returns why it cannot and what to do about it, or null if
   * it can.
   */
  abstract missing(kind: ServerToRun['kind']): Promise<string | null>;

  /**
   * Starts a server without waiting for it to respond. Refuses with `builder_unavailable`. Throws
   * `UnrunnableServerError`.
   */
  abstract start(program: ServerToRun, signal: AbortSignal): Promise<RunningServer>;
}
