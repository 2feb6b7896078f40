export type RecordFinding = {
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'CAA';
  readonly name: string;
  readonly expected: string;
  readonly found: readonly string[];
  /** `unknown`: no DNS server responded, so nothing is known about the record. */
  readonly state: 'right' | 'wrong' | 'missing' | 'unknown';
  /** How to correct the record, in one sentence. Empty if nothing needs to be done. */
  readonly advice: string;
};

export type DomainFindings = {
  readonly records: readonly RecordFinding[];
  /** Whether the TXT record contains the token of this claim, or null if unknown. */
  readonly verified: boolean | null;
  /** Whether the name points to this service by a CNAME, A or AAAA record, or null if unknown. */
  readonly leadsHere: boolean | null;
  /**
   * Whether CAA records allow the certificate authority of this service to issue certificates. Null if no DNS server
   * responded, or if there are CAA records but it is not known by which name they refer to the authority.
   */
  readonly certifiable: boolean | null;
};

/** Facts about a name that determine which records it needs. */
export type ZoneFacts = {
  /** Whether the name is the apex of a zone, which cannot have a CNAME. False if DNS does not say. */
  readonly isApex: boolean;
  /** The known IPv4 and IPv6 addresses of this service. */
  readonly addresses: readonly string[];
  /** The name by which CAA records refer to the certificate authority, or null if unknown. */
  readonly authority: string | null;
};

export abstract class DomainChecker {
  /**
   * Checks the DNS records of a name. Never rejects because of a DNS response. `target` is the site’s own host, and
   * `token` is the token of the claim.
   */
  abstract check(
    claim: { readonly hostname: string; readonly token: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<DomainFindings>;

  /** Looks up which records a name needs. Never rejects because of a DNS response. `target` is the site’s own host. */
  abstract zoneFacts(
    name: { readonly hostname: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<ZoneFacts>;

  /**
   * Reports whether any DNS server responds for this name, even with NXDOMAIN. Never rejects because of a DNS response.
   */
  abstract isAnswered(hostname: string, signal: AbortSignal): Promise<boolean>;
}
