/** The server that terminates TLS for domains. It obtains a certificate at the first connection for a name. */
export abstract class CertificateServer {
  /** Whether the operator has configured one. */
  abstract readonly isThere: boolean;

  /**
   * Resolves when the server has a certificate for this hostname; obtaining one takes up to a minute. Rejects with the
   * reason if it has none by then, and as soon as `signal` aborts. Idempotent.
   */
  abstract obtain(hostname: string, signal: AbortSignal): Promise<void>;
}

/** For installations where the operator manages certificates separately. */
export class NoCertificateServer extends CertificateServer {
  override readonly isThere = false;

  override async obtain() {}
}
