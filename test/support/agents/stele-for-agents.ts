import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { copyFreshCluster } from '../database/test-database.js';
import { type Stele, startStele } from '../service/stele.js';

type Wanted = { readonly folder: string; readonly env?: Record<string, string>; readonly hooks?: readonly string[] };

/** A service that takes the grants which tests make (`agentToken`), started from the files that it was built as. */
export async function startSteleForAgents({ folder, env = {}, hooks = [] }: Wanted): Promise<Stele> {
  if (!env.DATABASE_URL) await copyFreshCluster(join(folder, 'postgres'));
  const imports = ['test-grants.mjs', ...hooks].flatMap((name) => ['--import', `./test/support/agents/${name}`]);
  return startStele({ folder, env, command: [process.execPath, ...imports, 'dist/start.js'] });
}

/** The address of its tools, as it announces it. */
export const mcpUrlOf = ({ port }: Stele) => `http://localhost:${port}/mcp`;

/** The token of a program that a person has allowed so much. */
export function agentToken(
  stele: Stele,
  userId: string,
  scopes: readonly string[] = ['read', 'publish', 'manage'],
): string {
  const grant = { grantId: randomUUID(), userId, scopes, resource: mcpUrlOf(stele) };
  return `test_agent_${Buffer.from(JSON.stringify(grant)).toString('base64url')}`;
}
