/** The hosts whose certificates may be issued (docs/interface.md, "Domains"). */
export abstract class CertifiableHosts {
  /**
   * Whether a certificate may be issued for this name: lower case, without the dot of the root. Answered from memory: it
   * is asked for by whoever connects, with any name they like.
   */
  abstract has(hostname: string): boolean;
}
