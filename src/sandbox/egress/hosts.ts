/** A host that builds may connect to. */
type Host = {
  readonly name: string;
  /** Whether it may have a private address. True for hosts listed by the operator. */
  readonly canBePrivate: boolean;
};

export type Hosts = ReadonlyMap<string, Host>;

/** The package registries of npm and Yarn, and the hosts of Google Fonts. */
const USUAL = ['registry.npmjs.org', 'registry.yarnpkg.com', 'fonts.googleapis.com', 'fonts.gstatic.com'];

/**
 * Returns the hosts that a build may connect to: those listed by the operator, or else the usual ones, and the
 * registries configured on this machine. Only hosts that are listed or configured may have private addresses.
 */
export function buildHosts(listed: readonly string[] | null, ofMachine: readonly string[]): Hosts {
  const own = [...(listed ?? []), ...ofMachine.filter((name) => !USUAL.includes(name))];
  const usual = listed === null ? USUAL : [];
  return new Map(
    [...usual.map((name) => ({ name, canBePrivate: false })), ...own.map((name) => ({ name, canBePrivate: true }))].map(
      (host) => [host.name.toLowerCase(), host],
    ),
  );
}

/** Returns the entry of a host by its name or address; undefined if it is not allowed. */
export const findHost = (hosts: Hosts, name: string): Host | undefined => hosts.get(name);
