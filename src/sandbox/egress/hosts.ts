type Host = {
  readonly name: string;
  /** True if the host may have a private address, because the operator has listed it. */
  readonly canBePrivate: boolean;
};

export type Hosts = ReadonlyMap<string, Host>;

/** Hosts that are allowed by default: the package registries of npm and Yarn, and Google Fonts. */
const USUAL = ['registry.npmjs.org', 'registry.yarnpkg.com', 'fonts.googleapis.com', 'fonts.gstatic.com'];

/**
 * Returns the allowed hosts: those that the operator listed (by default, the registries of npm and Yarn, and Google
 * Fonts) and the registries configured on this machine. Only hosts that were listed or configured may have private
 * addresses.
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

export const findHost = (hosts: Hosts, name: string): Host | undefined => hosts.get(name);
