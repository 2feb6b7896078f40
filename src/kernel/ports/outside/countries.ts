export abstract class Countries {
  /** Returns the country as two upper-case letters (ISO 3166-1), or null if it is unknown. */
  abstract of(address: string): string | null;
}

export class NoCountries extends Countries {
  async start() {}

  override of() {
    return null;
  }
}
