/** A secret's value, and where it belongs. */
export type NewSecret = {
  readonly siteId: string;
  readonly name: string;
  readonly value: string;
  /** When it was set, RFC 3339. */
  readonly at: string;
};

/** What the vault holds, without what is in it. */
export type KeptSecret = {
  readonly name: string;
  readonly version: number;
  /** RFC 3339. */
  readonly setAt: string;
  /** How long it has been here, in milliseconds. */
  readonly age: number;
};

/**
 * The values of secrets, encrypted, beside the log. Which of them are in force is said by the site's own events: a value
 * is kept first and told of afterwards, so that no event is ever without its value; one that nobody told of is in force
 * for nobody, and is swept away.
 */
export abstract class Vault {
  /**
   * Keeps a value durably and answers its version, which is greater than `after` and was never given to another value of
   * this name that is still here. Of any number at once each has its own.
   */
  abstract keep(secret: NewSecret, after: number): Promise<number>;

  /** Once a version was told of: it is here, whatever a sweep has done meanwhile, and those before it are gone. */
  abstract settle(secret: NewSecret, version: number): Promise<void>;

  /** The values of these versions by name; what is not here is left out. */
  abstract values(siteId: string, versions: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>>;

  /** Everything that is here for a site. */
  abstract kept(siteId: string): Promise<readonly KeptSecret[]>;

  /** Forgets one version of a secret, or all up to one. Harmless to repeat, as is `forgetSite`. */
  abstract forget(siteId: string, name: string, version: number, andBefore: boolean): Promise<void>;

  abstract forgetSite(siteId: string): Promise<void>;

  /** The sites that have anything here, in pages, in the order of their ids. */
  abstract sites(): AsyncIterable<readonly string[]>;
}
