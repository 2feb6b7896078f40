import type { Socket } from 'node:net';
import type { SilenceClock, Watched } from './silence-clock.js';

export type TunnelOptions = {
  /** The tunnel ends when both sides have been silent for this long. */
  readonly idleMs: number;
  /** Decides when a tunnel counts as silent. */
  readonly silence: SilenceClock;
  /** Called when both sides have been silent for the period of the clock, and when one of them sends again. */
  readonly onSilent: (isSilent: boolean) => void;
  /** Called once. */
  readonly onOver: () => void;
};

/**
 * Passes bytes between a visitor and a server, each as fast as the other reads, until either closes. Returns a function
 * that ends the tunnel.
 */
export function tunnel(visitor: Socket, program: Socket, { idleMs, silence, onSilent, onOver }: TunnelOptions) {
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
    program.destroy();
    onOver();
  };
  for (const socket of [visitor, program]) {
    socket.setNoDelay(true);
    socket.setTimeout(idleMs, over);
    socket.once('error', over).once('close', over);
    socket.on('error', () => undefined).on('data', onData);
  }
  // The end of one side is passed on to the other, which may have more to send.
  visitor.pipe(program);
  program.pipe(visitor);
  return over;
}
