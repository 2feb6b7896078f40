import type { Socket } from 'node:net';
import type { SilenceClock, Watched } from './silence-clock.js';

export type TunnelOptions = {
  /** How long both sides must be silent before the tunnel is closed. */
  readonly idleMs: number;
  readonly silence: SilenceClock;
  /**
   * Called with true when neither side has sent anything for one period of the `silence` clock, and with false when
   * either side sends again.
   */
  readonly onSilent: (isSilent: boolean) => void;
  readonly onOver: () => void;
};

/** Passes bytes between a visitor and a server, no faster than the recipient reads them, until either side closes. */
export function tunnel(visitor: Socket, server: Socket, { idleMs, silence, onSilent, onOver }: TunnelOptions) {
  let isOver = false;
  let isSilent = false;
  const watched: Watched = {
    isHeard: true,
    silentTicks: 0,
    onSilence: () => {
      if (isSilent) return;
      isSilent = true;
      onSilent(true);
    },
  };
  const onData = () => {
    watched.isHeard = true;
    if (!isSilent) return;
    isSilent = false;
    onSilent(false);
  };
  silence.watch(watched);
  const over = () => {
    if (isOver) return;
    isOver = true;
    silence.forget(watched);
    visitor.destroy();
    server.destroy();
    onOver();
  };
  for (const socket of [visitor, server]) {
    socket.setNoDelay(true);
    socket.setTimeout(idleMs, over);
    socket.once('error', over).once('close', over);
    socket.on('error', () => undefined).on('data', onData);
  }
  // When one side ends its half of the connection, the other side is notified, but may still send data.
  visitor.pipe(server);
  server.pipe(visitor);
  return over;
}
