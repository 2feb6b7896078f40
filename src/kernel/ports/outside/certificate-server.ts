/** Terminates TLS for domains. Obtains a certificate when someone first connects to a name. */
export abstract class CertificateServer {
  abstract readonly isThere: boolean;

  /**
   * Resolves when the server has a certificate for this hostname, which takes up to a minute. Rejects with the reason
   * if that fails or `signal` aborts. Idempotent.
   */
  abstract obtain(hostname: string, signal: AbortSignal): Promise<void>;
}

/** A certificate server that obtains no certificates. Used if the operator manages certificates in another way. */
export class NoCertificateServer extends CertificateServer {
  override readonly isThere = false;

  override async obtain() {}
}
