/** Where addresses are. */
export abstract class Countries {
  /** The country of an address, two letters in upper case (ISO 3166-1); null where it is not known. */
  abstract of(address: string): string | null;
}

/** For a process that has no map of addresses. */
export class NoCountries extends Countries {
  async start() {}

  override of() {
    return null;
  }
}
