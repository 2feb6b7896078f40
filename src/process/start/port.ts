import { once } from 'node:events';
import { createServer } from 'node:net';
import { SettingsError } from '../../settings/settings-fault.js';

type Listening = { readonly host: string; readonly port: number };

/**
 * Returns the reason why the process can't listen on its port, or null. Listening is the last step of a start, so this
 * check comes first.
 */
export async function findPortProblem({ host, port }: Listening): Promise<SettingsError | null> {
  try {
    await listenBriefly(host, port);
    return null;
  } catch (error) {
    const explained = explainPort(error, { host, port });
    if (explained instanceof SettingsError) return explained;
    throw error;
  }
}

export async function freePort(host: string): Promise<number> {
  return listenBriefly(host, 0);
}

async function listenBriefly(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('Could not find a free TCP port.');
  return address.port;
}

/** Converts an error that the operator can fix to a `SettingsError`. Returns other errors unchanged. */
export function explainPort(error: unknown, { host, port }: Listening): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  if (error.code === 'EADDRINUSE')
    return new SettingsError(
      `${host}:${port} is already in use. Choose another port: PORT=${port < 65_535 ? port + 1 : 3_000} npm start`,
    );
  if (error.code === 'EACCES')
    return new SettingsError(
      `This user is not allowed to listen on ${host}:${port}. Choose a port above 1023: PORT=3000 npm start`,
    );
  if (error.code === 'EADDRNOTAVAIL')
    return new SettingsError(`${host} is not an address of this machine. Correct HOST.`);
  if (error.code === 'ENOTFOUND') return new SettingsError(`Could not resolve the host name ${host}. Correct HOST.`);
  return error;
}
