/** The hosts for which certificates can be issued (docs/interface/domains.md, "Custom domains"). */
export abstract class CertifiableHosts {
  /**
   * Whether a certificate can be issued for this name (lower case, without a trailing dot). Reads only memory, because
   * any
   * client that connects can trigger this check with any name.
   */
  abstract has(hostname: string): boolean;
}
