/** A host that builds are allowed to connect to. */
type Host = {
  readonly name: string;
  /** True if the host is allowed to have a private address. This applies to hosts that the operator has listed. */
  readonly canBePrivate: boolean;
};

export type Hosts = ReadonlyMap<string, Host>;

/** The package registries of npm and Yarn, and the hosts of Google Fonts. */
const USUAL = ['registry.npmjs.org', 'registry.yarnpkg.com', 'fonts.googleapis.com', 'fonts.gstatic.com'];

/**
 * Returns the hosts that a build is allowed to connect to: those listed by the operator, or the usual ones if there is
 * no list, and the registries that are configured on this machine. Only listed or configured hosts are allowed to have
 * private addresses.
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

/** Returns the entry of a host by name or address, or undefined if the host is not allowed. */
export const findHost = (hosts: Hosts, name: string): Host | undefined => hosts.get(name);
