/** A deploy that is a program: what the proxy in front of it knows of it from the log alone. */
export type ServedProgram = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  /** SHA-256 of the stored output or image, hexadecimal. */
  readonly digest: string;
  readonly kind: 'next' | 'container';
  /**
   * Whether the job that built it is trusted. For a server that starts before its deploy is recorded: afterwards, the
   * site’s record decides whether it receives secrets.
   */
  readonly isTrusted?: boolean;
};

/**
 * Where a running program listens: a unix socket of this machine, or another process of the service that has it. There
 * the first bytes of each connection are the key and a line feed; whatever follows, either way, is the program’s. It is
 * good for as long as the use.
 */
export type ProgramAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly key: string };

/**
 * One use of a running program, from the first byte of a request to the last of its answer, or as long as a WebSocket is
 * open. A program that is in use is neither put to sleep nor ended when it is replaced, within a limit of time.
 */
export type ProgramUse = {
  readonly address: ProgramAddress;
  /** Ends the use. `failed` says that nothing sensible was answered, which counts as a check that failed. Once only. */
  release(outcome: 'answered' | 'failed'): void;
  /** A silent WebSocket stays open, but does not keep the server from being put to sleep. */
  setSilent(isSilent: boolean): void;
};
