/** The server that terminates TLS for domains. It obtains a certificate when someone first connects to a name. */
export abstract class CertificateServer {
  /** Whether the operator has configured such a server. */
  abstract readonly isThere: boolean;

  /**
   * Resolves when the server has a certificate for this hostname. Obtaining one takes up to a minute. Rejects with the
   * reason if the server does not have one by then, or if `signal` aborts. Idempotent.
   */
  abstract obtain(hostname: string, signal: AbortSignal): Promise<void>;
}

/** Used by installations whose operator manages certificates separately. */
export class NoCertificateServer extends CertificateServer {
  override readonly isThere = false;

  override async obtain() {}
}
