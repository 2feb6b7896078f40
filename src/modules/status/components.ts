/** Components of the service, in the order of the status page. */
export const components = [
  { name: 'publish', title: 'Publishing', means: 'Deploys are accepted and published.' },
  { name: 'serve', title: 'Sites', means: 'Visitors see the latest deploy.' },
  { name: 'history', title: 'History', means: 'Changes appear in a site’s history right away.' },
  { name: 'streams', title: 'Live streams', means: 'Clients receive a site’s events as they happen.' },
  { name: 'jobs', title: 'Jobs', means: 'Workers pick up repository deploys and builds.' },
  {
    name: 'servers',
    title: 'Site servers',
    means: 'Site servers are running, and move to another worker if their own is lost.',
  },
  { name: 'mail', title: 'Mail', means: 'Emails for sign-in, claims and invites can be sent.' },
  {
    name: 'domains',
    title: 'Domains',
    means: 'DNS records of custom domains can be looked up, and certificates requested.',
  },
  { name: 'agents', title: 'Agents', means: 'The MCP endpoint responds to clients.' },
] as const;

export type ComponentName = (typeof components)[number]['name'];

const [first, ...others] = components;

/** Names of all components. The type is that of a non-empty array, which `z.enum` requires. */
export const componentNames: readonly [ComponentName, ...ComponentName[]] = [
  first.name,
  ...others.map(({ name }) => name),
];
