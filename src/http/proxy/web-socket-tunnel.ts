import type { Socket } from 'node:net';

/**
 * Lets a visitor and a program talk in another protocol, each as fast as the other reads, until either ends it or both
 * are silent for `idleMs` milliseconds. `onOver` is called once.
 */
export function tunnel(visitor: Socket, program: Socket, idleMs: number, onOver: () => void) {
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    visitor.destroy();
    program.destroy();
    onOver();
  };
  for (const socket of [visitor, program]) {
    socket.setNoDelay(true);
    socket.setTimeout(idleMs, over);
    socket.once('error', over).once('close', over);
    socket.on('error', () => undefined);
  }
  // The end of one is passed on to the other, which may have more to say.
  visitor.pipe(program);
  program.pipe(visitor);
  return over;
}
