import { z } from 'zod';
import type { LiveSite } from '../../site/state/site.state.js';

const MAX_HOSTS = 20;

/** An exact hostname, not an IP address, port or pattern. */
const host = z
  .string()
  .max(253)
  .regex(/^(?=.*[a-z])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
    message: 'must be an exact lowercase hostname such as api.example.com',
  });

export const egressConfig = z.strictObject({ hosts: z.array(host).max(MAX_HOSTS) });

/** Only owners can set the hosts, so a site without an owner has none. */
export function egressHosts({ capabilities, editTokenHash }: LiveSite): readonly string[] {
  const { egress } = capabilities;
  if (!egress?.enabled || editTokenHash !== null) return [];
  return egressConfig.safeParse(egress.config).data?.hosts ?? [];
}
