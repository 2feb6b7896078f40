/** The hosts whose certificates may be issued (docs/interface/domains.md, "Custom domains"). */
export abstract class CertifiableHosts {
  /**
   * Whether a certificate may be issued for this name: lower case, without the dot of the root. Answered from memory:
   * any client that connects has it asked, with any name it likes.
   */
  abstract has(hostname: string): boolean;
}
