/** Where things are inside, for the programs of sites. */
export const PLACES = {
  program: '/srv/program',
  /** Of the socket that is answered at; the program may write there, and nowhere else but in memory. */
  sockets: '/run/stele',
  socket: '/run/stele/http.sock',
  proxy: '/run/proxy.sock',
  node: '/opt/node',
  inside: '/opt/inside',
} as const;

/** The name of the socket in its folder. */
export const SOCKET_NAME = 'http.sock';

/** What a program finds at PORT, where it listens to one. */
export const PORT = '3000';

/** Clients that know a proxy are told of the way out, where there is one. */
export const wayOut = (hosts: readonly string[]): Readonly<Record<string, string>> => {
  if (hosts.length === 0) return {};
  const names = ['HTTPS_PROXY', 'https_proxy'];
  return { ...Object.fromEntries(names.map((name) => [name, 'http://127.0.0.1:3128'])), NODE_USE_ENV_PROXY: '1' };
};
