import type { GitHost } from '../sites/git-host.js';
import { anonymousSites } from './anonymous-sites.js';
import { type HandedOut, HandingOut } from './handed-out.js';
import { jobsAndRuns } from './jobs-and-runs.js';
import { laterFeatures } from './later-features.js';
import { peopleAndSites } from './people-and-sites.js';
import type { ServiceAsked, ToldReply } from './service-asked.js';

/**
 * Requests and credentials that a user of an earlier version had, and the responses of that version to these requests.
 */
export type Story = HandedOut & {
  readonly port: number;
  readonly told: Readonly<Record<string, ToldReply>>;
};

/**
 * Uses every feature of the running version over HTTP. Returns the requests and credentials that its user has
 * afterwards, with the responses.
 */
export async function tellStory(service: ServiceAsked, git: GitHost, adminToken: string): Promise<Story> {
  const { paths } = await service.get<{ paths: Record<string, Record<string, Record<string, unknown>>> }>({
    path: '/openapi.json',
  });
  const knows = (operation: string) => {
    const [method = '', path = ''] = operation.split(' ');
    const known = paths[path]?.[method];
    return known !== undefined && known['x-status'] !== 'planned';
  };
  const out = new HandingOut();
  await anonymousSites(service, out);
  await peopleAndSites(service, out, adminToken);
  await jobsAndRuns(service, out, git);
  await laterFeatures(service, out, knows, `http://${git.listed}`);
  // Sends each request twice. The first request may have side effects, such as using up a cookie. The response to the
  // second one is recorded.
  await lookAgain(service, out);
  const { looks, callers } = out;
  return { port: service.port, looks, callers, told: await lookAgain(service, out) };
}

export async function lookAgain(service: ServiceAsked, { looks }: Pick<HandedOut, 'looks'>) {
  const told: Record<string, ToldReply> = {};
  for (const [name, look] of Object.entries(looks)) told[name] = service.told(await service.ask(look));
  return told;
}
