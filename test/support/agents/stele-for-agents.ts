import { join } from 'node:path';
import { copyFreshCluster } from '../database/test-database.js';
import { AgentProgram, signInBrowser } from '../people/agent-program.js';
import { HttpBrowser } from '../people/http-browser.js';
import { type Stele, startStele } from '../service/stele.js';

type Wanted = { readonly folder: string; readonly env?: Record<string, string>; readonly hooks: readonly string[] };

/** Starts a service from its unbundled build, and preloads the modules in `hooks`. */
export async function startSteleWithHooks({ folder, env = {}, hooks }: Wanted): Promise<Stele> {
  if (!env.DATABASE_URL) await copyFreshCluster(join(folder, 'postgres'));
  const imports = hooks.flatMap((name) => ['--import', `./test/support/agents/${name}`]);
  return startStele({ folder, env, command: [process.execPath, ...imports, 'dist/start.js'] });
}

export const mcpUrlOf = ({ port }: Stele) => `http://localhost:${port}/mcp`;

/** Returns an access token of a connected app to which a user has granted these scopes. */
export async function agentToken(
  stele: Stele,
  email: string,
  scopes: readonly string[] = ['read', 'publish', 'manage'],
): Promise<string> {
  const browser = new HttpBrowser();
  await signInBrowser(stele, browser, email);
  const program = await AgentProgram.registered(stele);
  const { access_token } = await program.letIn(browser, { scope: scopes.join(' ') });
  return access_token;
}
