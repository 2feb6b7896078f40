/** The parts of the service that its status page tells apart, in the order in which it shows them. */
export const components = [
  { name: 'publish', title: 'Publishing', means: 'A site is published, and answered as such.' },
  { name: 'serve', title: 'Sites', means: 'Visitors see what was published last.' },
  { name: 'history', title: 'History', means: 'What happened to a site can be read right after it happened.' },
  { name: 'streams', title: 'Live streams', means: 'Who watches a site hears of it as it happens.' },
  { name: 'jobs', title: 'Jobs', means: 'Workers take what waits for them: repositories and builds.' },
  { name: 'servers', title: 'Programs', means: 'Programs of sites are run, and taken over when their worker is lost.' },
  { name: 'mail', title: 'Mail', means: 'Links to sign in, to claim and to join can be sent.' },
  { name: 'domains', title: 'Domains', means: 'Records of domains can be looked up, and certificates be asked for.' },
  { name: 'agents', title: 'Agents', means: 'Agents are answered that publish for people.' },
] as const;

export type ComponentName = (typeof components)[number]['name'];

const [first, ...others] = components;

/** Their names alone: never empty, as a list of choices must not be. */
export const componentNames: readonly [ComponentName, ...ComponentName[]] = [
  first.name,
  ...others.map(({ name }) => name),
];
