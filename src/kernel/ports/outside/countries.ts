/** Looks up the countries of IP addresses. */
export abstract class Countries {
  /** The country of an IP address as two upper-case letters (ISO 3166-1); null if unknown. */
  abstract of(address: string): string | null;
}

/** For a process without a database of addresses. */
export class NoCountries extends Countries {
  async start() {}

  override of() {
    return null;
  }
}
