/** A deploy that runs a server, as the proxy reads it from the log. */
export type ServedDeploy = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  /** SHA-256 hash of the stored output or image in hexadecimal. */
  readonly digest: string;
  readonly kind: 'next' | 'container';
  /**
   * Whether the job that built it is trusted. Only used if the server starts before its deploy is recorded. After that,
   * the site’s record determines whether the server receives secrets.
   */
  readonly isTrusted?: boolean;
};

/**
 * The address of a running server: a unix socket on this machine, or another process of the service. In the second
 * case, each connection starts with the key and a line feed; all further bytes in both directions belong to the server.
 * The address is valid only while the server is in use.
 */
export type ServerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly key: string };

/**
 * One use of a running server: from the first byte of a request to the last byte of its response, or as long as a
 * WebSocket is open. A server in use is not put to sleep, nor stopped after it has been replaced, up to a time limit.
 */
export type SiteServerUse = {
  readonly address: ServerAddress;
  /**
   * Ends the use. `failed` means that the response was missing or invalid; it counts as a failed health check. Must be
   * called only once.
   */
  release(outcome: 'answered' | 'failed'): void;
  /** Marks a WebSocket as silent. It stays open, but no longer prevents the server from being put to sleep. */
  setSilent(isSilent: boolean): void;
};
