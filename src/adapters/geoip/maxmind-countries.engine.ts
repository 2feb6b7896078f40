import { type CountryResponse, open, type Reader } from 'maxmind';
import { Countries } from '../../kernel/ports/outside/countries.js';

/** The file that knows countries cannot be used. */
export class CountriesFault extends Error {
  override readonly name = 'CountriesFault';
}

/** Countries from a MaxMind file, such as GeoLite2-Country.mmdb, which is in memory as a whole. */
export class MaxMindCountries extends Countries {
  #reader: Reader<CountryResponse> | null = null;

  /** `file` is an absolute path. */
  constructor(private readonly file: string) {
    super();
  }

  /** Rejects with `CountriesFault`, which names the file, where it cannot be read or is no such file. */
  async start(): Promise<void> {
    try {
      this.#reader = await open<CountryResponse>(this.file, { cache: { max: 10_000 } });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CountriesFault(`STELE_GEOIP: could not read ${this.file} as a MaxMind file: ${why}`, { cause });
    }
  }

  override of(address: string): string | null {
    try {
      const code = this.#reader?.get(address)?.country?.iso_code;
      return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : null;
    } catch {
      // No address: a proxy named none.
      return null;
    }
  }
}
