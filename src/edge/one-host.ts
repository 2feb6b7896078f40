import type { IncomingMessage } from 'node:http';

/**
 * Whether a request says once whom it is for. With two hosts, or one in its target and another in its header, a proxy
 * in front may have meant the other one: RFC 9112 sections 3.2 and 3.2.2.
 */
export function namesOneHost({ rawHeaders, headers, url = '/' }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return false;
  if (url.startsWith('/')) return true;
  const authority = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1];
  return authority === undefined || authority.toLowerCase() === headers.host?.toLowerCase();
}
