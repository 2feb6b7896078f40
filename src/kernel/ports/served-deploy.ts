export type ServedDeploy = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  /** SHA-256 hash of the stored output or image in hexadecimal. */
  readonly digest: string;
  readonly kind: 'next' | 'container';
  /**
   * Whether the job that built the server is trusted. Used only until the deploy is recorded. From then on, the site’s
   * record determines whether the server receives secrets.
   */
  readonly isTrusted?: boolean;
};

/**
 * The address of a site’s running server: a Unix socket on this machine, or another process of the service. A
 * connection to another process must begin with `key` and a line feed. The address is valid only while the server is in
 * use.
 */
export type ServerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly key: string };

/** A request in progress or an open WebSocket. It keeps the server awake and running, up to a time limit. */
export type SiteServerUse = {
  readonly address: ServerAddress;
  /**
   * Stops using the server. Must be called only once. `failed` means that the response was missing or invalid, which
   * counts as a failed health check.
   */
  release(outcome: 'answered' | 'failed'): void;
  /** Records whether a WebSocket is silent. A silent WebSocket stays open, but does not keep the server awake. */
  setSilent(isSilent: boolean): void;
};
