/** The server that answers TLS for domains, and gets a certificate for a name when it is asked for by that name first. */
export abstract class CertificateServer {
  /** Whether the operator has named one. */
  abstract readonly isThere: boolean;

  /**
   * Resolves when it has a certificate for this hostname, which takes up to a minute where it has to get one. Rejects
   * with the reason where it has none then, and as soon as `signal` aborts. Harmless to repeat.
   */
  abstract obtain(hostname: string, signal: AbortSignal): Promise<void>;
}

/** Where certificates are not this service’s business, as behind a server that the operator has set up otherwise. */
export class NoCertificateServer extends CertificateServer {
  override readonly isThere = false;

  override async obtain() {}
}
