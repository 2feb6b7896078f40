import type { LiveSite } from './state/site.state.js';

/**
 * Reports whether a deploy's server receives the site's secrets. This is the case if a trusted job built the deploy, or
 * if the deploy was live when events began to record trust and the site has not been deployed since. Returns null for
 * an unknown deploy.
 */
export function receivesSecrets({ deploys, keepsSecrets }: LiveSite, deployId: string): boolean | null {
  const deploy = deploys.find((each) => each.deployId === deployId);
  if (!deploy) return null;
  return deploy.trusted ?? deployId === keepsSecrets;
}
