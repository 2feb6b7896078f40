const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isOnThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

/** Describes to a user where a redirect leads: to a host, or to a program or app on the user's device. */
export function describeRedirect(address: string): string {
  const { protocol, host, port } = new URL(address);
  if (isOnThisMachine(address)) return `a program on this computer, on port ${port || '80'}`;
  if (protocol === 'https:') return host;
  return `the app on this device that opens ${protocol} links`;
}
