import { z } from 'zod';
import type { LiveSite } from '../../site/site.state.js';

const MOST_HOSTS = 20;

/** An exact hostname: no IP address, port or pattern. */
const host = z
  .string()
  .max(253)
  .regex(/^(?=.*[a-z])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
    message: 'must be an exact lowercase hostname such as api.example.com',
  });

/** Configuration of the capability `egress`: the exact names of the hosts that a server may connect to. */
export const egressConfig = z.strictObject({ hosts: z.array(host).max(MOST_HOSTS) });

/** The hosts that the program of a site may reach: none unless its owners have named them, and it is theirs still. */
export function egressHosts({ capabilities, editTokenHash }: LiveSite): readonly string[] {
  const { egress } = capabilities;
  if (!egress?.enabled || editTokenHash !== null) return [];
  return egressConfig.safeParse(egress.config).data?.hosts ?? [];
}
