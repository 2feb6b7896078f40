import { readFile } from 'node:fs/promises';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

/** `TCP_LISTEN` in the kernel’s net/tcp_states.h. */
const LISTENING = '0A';

/**
 * Returns the ports, in ascending order, on which processes in a network namespace listen, or null if the ports
 * cannot be read. `pid` is any process in the namespace.
 */
export async function readListeningPorts(pid: number, proc = '/proc'): Promise<readonly number[] | null> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`${proc}/${pid}/net/${name}`, 'latin1').catch(alreadyGone)),
  ).catch(() => []);
  if (pid <= 0 || tables.every((table) => table === undefined)) return null;
  const ports = tables.flatMap((table) => (table ?? '').split('\n').slice(1).flatMap(listeningPort));
  return [...new Set(ports)].sort((one, other) => one - other);
}

/** Parses a line of `/proc/net/tcp` (proc_net_tcp in the kernel’s documentation). */
function listeningPort(line: string): readonly number[] {
  const [, local = '', , state = ''] = line.trim().split(/\s+/);
  return state === LISTENING ? [Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)] : [];
}

export type PortSource = 'exposed' | 'default';

const SOURCES: Record<PortSource, string> = {
  exposed: 'which the image exposes (EXPOSE)',
  default: 'the default, because the image exposes no port (EXPOSE)',
};

export function describePorts(tried: string, source: PortSource, listening: readonly number[] | null): string {
  const used = `Requests are sent to port ${tried}, ${SOURCES[source]}`;
  const others = (listening ?? []).filter((port) => String(port) !== tried);
  if (listening?.includes(Number(tried))) return `${used}. The server listens on this port but does not respond.`;
  const found =
    listening === null
      ? ''
      : others.length === 0
        ? ' The server does not listen on any port.'
        : ` The server listens on port ${others.slice(0, 5).join(', ')} instead.`;
  return `${used}.${found} Listen on the port in the environment variable PORT, or change EXPOSE.`;
}
