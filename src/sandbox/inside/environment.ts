import type { Machine } from '../tools/machine.js';
import { INSIDE, ofMachine } from './places.js';

/** Environment variables in which HTTP clients look for a proxy. */
const PROXY_VARIABLES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'npm_config_https_proxy',
  'YARN_HTTPS_PROXY',
];

const LOOPBACK = 'localhost,127.0.0.1,::1';

/** Returns the environment of every command in a sandbox. `tools` are folders that contain commands. */
export function sandboxEnvironment(
  { hasCertificates, registry }: Machine,
  tools: readonly string[],
): Readonly<Record<string, string>> {
  const certificates = ['NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'SSL_CERT_FILE'];
  return {
    PATH: [...tools, ofMachine('commands'), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: INSIDE.home,
    TMPDIR: INSIDE.temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, 'http://127.0.0.1:3128'])),
    // A build may start its own servers. Clients that send requests to the proxy without a tunnel (axios before 1.8)
    // must connect to those servers directly.
    NO_PROXY: LOOPBACK,
    no_proxy: LOOPBACK,
    NODE_USE_ENV_PROXY: '1',
    ...(registry !== null && { npm_config_registry: registry }),
    ...(hasCertificates && Object.fromEntries(certificates.map((name) => [name, ofMachine('certificates')]))),
  };
}
