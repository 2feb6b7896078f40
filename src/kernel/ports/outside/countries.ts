/** Looks up the countries of IP addresses. */
export abstract class Countries {
  /** Returns the country of an IP address as two upper-case letters (ISO 3166-1), or null if it is unknown. */
  abstract of(address: string): string | null;
}

/** Used by a process that has no address database. */
export class NoCountries extends Countries {
  async start() {}

  override of() {
    return null;
  }
}
