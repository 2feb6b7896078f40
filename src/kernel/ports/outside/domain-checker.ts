export type RecordFinding = {
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'CAA';
  readonly name: string;
  readonly expected: string;
  readonly found: readonly string[];
  /** `unknown`: no server of DNS answered, which says nothing of the record. */
  readonly state: 'right' | 'wrong' | 'missing' | 'unknown';
  /** What to do about it, in one sentence; empty where nothing is to be done. */
  readonly advice: string;
};

export type DomainFindings = {
  readonly records: readonly RecordFinding[];
  /** Whether the TXT record names this claim; null where it is not known. */
  readonly verified: boolean | null;
  /** Whether the name leads here (CNAME to us, or any A/AAAA that is an address of ours); null where it is not known. */
  readonly leadsHere: boolean | null;
  /**
   * Whether CAA lets the authority that is asked here give a certificate. False where it forbids that; null where it is
   * not known: no server of DNS answered, or CAA names others and the authority is one whose name in CAA is not known.
   */
  readonly certifiable: boolean | null;
};

/** What has to be known of a name to say which records lead here. */
export type ZoneFacts = {
  /** Whether it is the top of a zone, where no CNAME can be; false where DNS does not say so. */
  readonly isApex: boolean;
  /** Those at which this service is reached, of both families, as far as they are known. */
  readonly addresses: readonly string[];
  /** How CAA records call the authority that certificates come from; null where that is not known. */
  readonly authority: string | null;
};

export abstract class DomainChecker {
  /** Never rejects for what DNS answers. `target` is the site's own host, `token` the claim's. */
  abstract check(
    claim: { readonly hostname: string; readonly token: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<DomainFindings>;

  /** Never rejects for what DNS answers. `target` is the site's own host. */
  abstract zoneFacts(
    name: { readonly hostname: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<ZoneFacts>;

  /** Whether a server of DNS says anything of this name, also that there is none. Never rejects for what DNS answers. */
  abstract isAnswered(hostname: string, signal: AbortSignal): Promise<boolean>;
}
