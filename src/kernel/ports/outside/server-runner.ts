import type { Exceeded, OnOutput } from './builder.js';

export type ServerLimits = {
  /** Memory limit for all processes of a server together, including files in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Size limit for all files, which are in memory and are lost when the server exits. */
  readonly diskBytes: number;
  /** Number of processors, which can be a fraction. */
  readonly cpus: number;
};

export type ServerToRun = {
  readonly kind: 'next' | 'container';
  /** SHA-256 hash of the stored output or image in hexadecimal. */
  readonly digest: string;
  /** Streams the output or image. Called only if this machine has no copy from an earlier run. */
  readonly content: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string>>;
  /** The hosts that the server can reach, on port 443. If empty, it has no network access. */
  readonly hosts: readonly string[];
  readonly limits: ServerLimits;
  readonly onOutput: OnOutput;
  readonly onRefused: (host: string, why: string) => void;
};

export type ServerExit = {
  /** Exit code, as in a shell: 128 plus the signal number if a signal ended the process. */
  readonly exitCode: number;
  readonly exceeded: Exceeded | null;
};

export abstract class RunningServer {
  /** Resolves when the server has exited for any reason. Never rejects. */
  abstract readonly ended: Promise<ServerExit>;

  /**
   * Returns the path of the socket on which the server listens, or null if the server does not listen yet. If the
   * server later replaces the socket, the path still leads to the original one.
   */
  abstract socketPath(): Promise<string | null>;

  /** Returns a likely reason why the server does not respond, with a remedy, or null if no reason is known. */
  async whySilent(): Promise<string | null> {
    return null;
  }

  abstract memoryBytes(): Promise<number | null>;

  /** Stops the server and all processes that it started. Resolves when they have exited. Idempotent. */
  abstract stop(): Promise<void>;
}

/** Thrown if the stored output or image of a server is invalid. `message` is for the owner of the site. */
export class UnrunnableServerError extends Error {
  override readonly name = 'UnrunnableServerError';
}

/** Runs the servers of sites, which are untrusted code, without privileges and without access to this machine. */
export abstract class ServerRunner {
  /** Returns the reason why this machine cannot run servers of this kind, with a remedy, or null if it can. */
  abstract missing(kind: ServerToRun['kind']): Promise<string | null>;

  /** Starts a server without waiting for it to respond. Throws `UnrunnableServerError`, or `builder_unavailable`. */
  abstract start(server: ServerToRun, signal: AbortSignal): Promise<RunningServer>;
}
