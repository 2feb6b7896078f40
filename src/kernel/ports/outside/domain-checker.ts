export type RecordFinding = {
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'CAA';
  readonly name: string;
  readonly expected: string;
  readonly found: readonly string[];
  /** The state of a DNS record. `unknown`: no DNS server responded. */
  readonly state: 'right' | 'wrong' | 'missing' | 'unknown';
  /** A sentence that says how to correct the record. May be empty. */
  readonly advice: string;
};

export type DomainFindings = {
  readonly records: readonly RecordFinding[];
  /** Whether the TXT record contains the token that was issued for this claim to the domain. Null if unknown. */
  readonly verified: boolean | null;
  /** Whether the name points to this service by a CNAME, A or AAAA record. Null if unknown. */
  readonly leadsHere: boolean | null;
  /**
   * Whether CAA records allow this service's certificate authority to issue certificates. Null if no DNS server
   * responded, or if there are CAA records but it is unknown which name the authority has in them.
   */
  readonly certifiable: boolean | null;
};

export type ZoneFacts = {
  /** Whether the name is the apex of a zone, which cannot have a CNAME. False if unknown. */
  readonly isApex: boolean;
  /** The known IP addresses of this service. */
  readonly addresses: readonly string[];
  /** The certificate authority's name in CAA records, or null if unknown. */
  readonly authority: string | null;
};

export abstract class DomainChecker {
  /** Checks a name's DNS records. `target` is the site’s own host. DNS errors never cause a rejection. */
  abstract check(
    claim: { readonly hostname: string; readonly token: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<DomainFindings>;

  /** Determines which records a name needs. `target` is the site’s host. DNS errors never cause a rejection. */
  abstract zoneFacts(
    name: { readonly hostname: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<ZoneFacts>;

  /** Reports whether any DNS server responds, even with NXDOMAIN. DNS errors never cause a rejection. */
  abstract isAnswered(hostname: string, signal: AbortSignal): Promise<boolean>;
}
