import type { Site } from '../../site/site.state.js';

/** Whether the previous live deploy had the same content. */
export function isUnchanged({ deploys }: Extract<Site, { status: 'live' }>, deployId: string): boolean {
  const deploy = deploys.find((each) => each.deployId === deployId);
  return deploys.some((each) => each.deployId === deploy?.replaced && each.manifest === deploy.manifest);
}
