import { type CountryResponse, open, type Reader } from 'maxmind';
import { explainSystemError } from '../../kernel/faults/explain-system-error.js';
import { Countries } from '../../kernel/ports/outside/countries.js';

export class CountryFileError extends Error {
  override readonly name = 'CountryFileError';
}

/** Looks up countries in a MaxMind file, such as GeoLite2-Country.mmdb, which is kept in memory. */
export class MaxMindCountries extends Countries {
  #reader: Reader<CountryResponse> | null = null;

  constructor(private readonly file: string) {
    super();
  }

  /** Reads the file. Throws `CountryFileError` if it cannot be read or is not a MaxMind file. */
  async start(): Promise<void> {
    try {
      this.#reader = await open<CountryResponse>(this.file, { cache: { max: 10_000 } });
    } catch (cause) {
      throw new CountryFileError(
        `STELE_GEOIP: could not read ${this.file} as a MaxMind file: ${explainSystemError(cause)}`,
        { cause },
      );
    }
  }

  override of(address: string): string | null {
    try {
      const code = this.#reader?.get(address)?.country?.iso_code;
      return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : null;
    } catch {
      // A proxy has sent something that is not an IP address.
      return null;
    }
  }
}
