import type { LiveSite } from './site.state.js';

/**
 * Whether the server of a deploy receives the site’s secrets: if a trusted job built it, or if it was live when this
 * began to be recorded and the site has not been deployed since. Null for a deploy that is not recorded.
 */
export function receivesSecrets({ deploys, keepsSecrets }: LiveSite, deployId: string): boolean | null {
  const deploy = deploys.find((each) => each.deployId === deployId);
  if (!deploy) return null;
  return deploy.trusted ?? deployId === keepsSecrets;
}
