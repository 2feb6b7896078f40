import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { alreadyGone } from '../../../kernel/faults/ignored-fault.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { type RefusalCode, refuse } from '../../../kernel/refusal.js';
import { refusalCodes } from '../../../kernel/refusals.js';
import { firstLine } from '../relay/first-line.js';
import type { RelayKey } from '../relay/relay-key.js';
import { useMessages } from '../relay/use-messages.js';

const CONNECT_MS = 3_000;
const LINE_BYTES = 8_192;

const readyAnswer = z.object({ key: z.string(), isStandIn: z.boolean() });
const refusedAnswer = z.object({ code: z.string(), detail: z.string().optional() });

/** The worker that ran the server is gone or no longer runs it. The caller must look up the server again. */
export class WorkerGoneError extends Error {
  override readonly name = 'WorkerGoneError';
}

/** Access to a server in another process. Lasts as long as the connection to that process. */
export type RemoteUse = {
  readonly key: string;
  readonly isStandIn: boolean;
  readonly lost: AbortSignal;
  failed(): void;
  setSilent(isSilent: boolean): void;
  close(): void;
};

/**
 * Connects to the worker that runs a server. Rejects with `WorkerGoneError` if the worker is gone, or with the worker's
 * refusal if it does not allow the connection.
 */
export async function openRemoteUse(
  place: { readonly host: string; readonly port: number },
  deploy: ServedDeploy,
  key: RelayKey,
  signal: AbortSignal,
): Promise<RemoteUse> {
  const socket = connect({ ...place, noDelay: true }).on('error', alreadyGone);
  const lost = new AbortController();
  socket.once('close', () => lost.abort()).once('end', () => socket.destroy());
  const tooLate = setTimeout(() => socket.destroy(), CONNECT_MS);
  socket.once('connect', () => clearTimeout(tooLate)).once('close', () => clearTimeout(tooLate));
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    const { siteId, slug, deployId, digest, kind, isTrusted } = deploy;
    const text = JSON.stringify({ siteId, slug, deployId, digest, kind, isTrusted });
    socket.write(`use ${text} ${key.sign(text)}\n`);
    return held(socket, await firstLine(socket, LINE_BYTES), lost.signal);
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new WorkerGoneError('The worker did not respond in time.');
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function held(socket: Socket, line: string | null, lost: AbortSignal): RemoteUse {
  if (line?.startsWith('refused ')) {
    const { code, detail } = refusedAnswer.parse(JSON.parse(line.slice('refused '.length)));
    if (isCode(code)) return refuse(code, detail);
  }
  if (!line?.startsWith('ready ')) throw new WorkerGoneError('The worker does not run this server.');
  const { key, isStandIn } = readyAnswer.parse(JSON.parse(line.slice('ready '.length)));
  socket.resume().unref();
  const say = (message: keyof typeof useMessages) => void (socket.writable && socket.write(useMessages[message]));
  return {
    ...{ key, isStandIn, lost },
    failed: () => say('failed'),
    setSilent: (isSilent) => say(isSilent ? 'silent' : 'heard'),
    close: () => void socket.end(),
  };
}

const isCode = (code: string): code is RefusalCode => refusalCodes.some((each) => each === code);
