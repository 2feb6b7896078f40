/** A host that builds may reach. */
type Host = {
  readonly name: string;
  /** The operator named it: it may be one of their own network. */
  readonly canBePrivate: boolean;
};

export type Hosts = ReadonlyMap<string, Host>;

/** The package registries of npm and yarn, and where Google’s fonts are. */
const USUAL = ['registry.npmjs.org', 'registry.yarnpkg.com', 'fonts.googleapis.com', 'fonts.gstatic.com'];

/**
 * The hosts of a build: those that the operator lists, or the usual ones, and the registries that this machine itself
 * is set to. Only what the operator lists or this machine is set to may lead into its own network.
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

/** The entry of a host, by its name or address; undefined for one that is not allowed. */
export const hostIn = (hosts: Hosts, name: string): Host | undefined => hosts.get(name);
