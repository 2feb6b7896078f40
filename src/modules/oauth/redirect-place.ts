const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a program on the person’s own machine listens there. */
export function isOnThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

/** Where a browser is sent, in words for people: the part of an address by which they can tell it. */
export function placeOf(address: string): string {
  const { protocol, host, port } = new URL(address);
  if (isOnThisMachine(address)) return `a program on this computer, on port ${port || '80'}`;
  if (protocol === 'https:') return host;
  return `the app on this device that opens ${protocol} links`;
}
