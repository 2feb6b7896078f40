/** Paths within the sandbox of a server. */
export const PLACES = {
  app: '/srv/program',
  /**
   * Folder that contains the request socket. It is the only folder that the server can write to, apart from in-memory
   * file systems.
   */
  sockets: '/run/stele',
  socket: '/run/stele/http.sock',
  proxy: '/run/proxy.sock',
  node: '/opt/node',
  inside: '/opt/inside',
} as const;

export const SOCKET_NAME = 'http.sock';

/** Value of PORT for a server that listens on a port, unless its image exposes another port. */
export const PORT = '3000';

/** Port of the proxy in the network of a server that may connect to other hosts. */
export const PROXY_PORT = 3128;

export const buildProxyEnvironment = (hosts: readonly string[]): Readonly<Record<string, string>> => {
  if (hosts.length === 0) return {};
  const names = ['HTTPS_PROXY', 'https_proxy'];
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  // A server’s requests to itself bypass the proxy.
  const loopback = Object.fromEntries(['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1']));
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), ...loopback, NODE_USE_ENV_PROXY: '1' };
};
