import type { Exceeded, OnOutput } from './builder.js';

/** Resource limits of one running server. */
export type ServerLimits = {
  /** For all of its processes together, in bytes. Includes files in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** For everything that it writes. All of it is in memory and is lost when the server ends. */
  readonly diskBytes: number;
  /** Number of processors; may be a fraction. */
  readonly cpus: number;
};

/** A server to be started. */
export type ServerToRun = {
  readonly kind: 'next' | 'container';
  /** SHA-256 of its stored output or image, hexadecimal. */
  readonly digest: string;
  /** Streams that output or image. Read only if it is not here from an earlier run. */
  readonly content: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string>>;
  /** The only hosts that it can reach, on port 443 at public addresses. If empty, it has no network access. */
  readonly hosts: readonly string[];
  readonly limits: ServerLimits;
  /** Called with each chunk of its output as it is printed. */
  readonly onOutput: OnOutput;
  /** Called with each host that it could not reach, and why. */
  readonly onRefused: (host: string, why: string) => void;
};

export type ServerExit = {
  /** Exit code as in a shell: 128 plus the signal number if a signal ended the process. */
  readonly exitCode: number;
  /** The limit that ended it; null if none did. */
  readonly exceeded: Exceeded | null;
};

/** A server whose process was started. */
export abstract class RunningServer {
  /** Resolves when it has ended, for whatever reason. Never rejects. */
  abstract readonly ended: Promise<ServerExit>;

  /**
   * The path of the socket on which it listens; null while it does not listen. The path always leads to the socket that
   * existed when it was first returned, even if the server replaces that one.
   */
  abstract socketPath(): Promise<string | null>;

  /** Why it may not respond, and what to change; null if nothing is known. */
  async whySilent(): Promise<string | null> {
    return null;
  }

  /** Current memory usage in bytes; null if unknown. */
  abstract memoryBytes(): Promise<number | null>;

  /** Ends the server and all processes that it started. Resolves when all of them have ended. Idempotent. */
  abstract stop(): Promise<void>;
}

/** The stored output or image is invalid, so the server cannot be started. `message` is for the owner of the site. */
export class UnrunnableServerError extends Error {
  override readonly name = 'UnrunnableServerError';
}

/**
 * Runs the servers of sites, which are untrusted code: without network and privileges, without access to this machine,
 * and
 * with only memory to write to.
 */
export abstract class ServerRunner {
  /**
   * Why this machine cannot run servers of this kind, and what to do about it; null if it can. Resolves after a test.
   */
  abstract missing(kind: ServerToRun['kind']): Promise<string | null>;

  /**
   * Starts a server without waiting for it to respond. Refuses with `builder_unavailable`; throws
   * `UnrunnableServerError`.
   */
  abstract start(program: ServerToRun, signal: AbortSignal): Promise<RunningServer>;
}
