export type RecordFinding = {
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'CAA';
  readonly name: string;
  readonly expected: string;
  readonly found: readonly string[];
  /** `unknown`: no DNS server responded, so nothing is known about the record. */
  readonly state: 'right' | 'wrong' | 'missing' | 'unknown';
  /** How to correct it, in one sentence; empty if nothing needs to be done. */
  readonly advice: string;
};

export type DomainFindings = {
  readonly records: readonly RecordFinding[];
  /** Whether the TXT record contains the token of this claim; null if unknown. */
  readonly verified: boolean | null;
  /** Whether the name points to this service, by a CNAME or an A or AAAA record; null if unknown. */
  readonly leadsHere: boolean | null;
  /**
   * Whether CAA records allow the certificate authority of this service. Null if unknown: no DNS server responded, or
   * there are CAA records and the name of the authority in CAA is not known.
   */
  readonly certifiable: boolean | null;
};

/** Facts about a name that determine which records it needs. */
export type ZoneFacts = {
  /** Whether it is the apex of a zone, which cannot have a CNAME; false if DNS does not say. */
  readonly isApex: boolean;
  /** The known IPv4 and IPv6 addresses of this service. */
  readonly addresses: readonly string[];
  /** The name of the certificate authority in CAA records; null if unknown. */
  readonly authority: string | null;
};

export abstract class DomainChecker {
  /** Never rejects because of DNS responses. `target` is the site’s own host, `token` that of the claim. */
  abstract check(
    claim: { readonly hostname: string; readonly token: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<DomainFindings>;

  /** Never rejects because of DNS responses. `target` is the site’s own host. */
  abstract zoneFacts(
    name: { readonly hostname: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<ZoneFacts>;

  /**
   * Whether a DNS server responds for this name, even that it does not exist. Never rejects because of DNS responses.
   */
  abstract isAnswered(hostname: string, signal: AbortSignal): Promise<boolean>;
}
