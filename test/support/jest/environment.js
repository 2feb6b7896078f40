import './kept-code.js';

// A worker with nothing left to do ends at once: taking apart what hundreds of files have left in its memory took 0.2 s
// on a machine with time to spare, and where that becomes 0.5 s Jest ends the worker and says that it “has failed to exit
// gracefully”. With anything left open this is not called: then the worker says what it is, before Jest ends it.
if (process.connected) {
  process.once('beforeExit', () => process.exit());
  process.on('message', sayWhatIsLeft);
}

/** Jest's word for “end” to a worker (CHILD_MESSAGE_END of jest-worker), and when to speak, in milliseconds after it. */
const END = 2;
const SPEAKS_AFTER_MS = 400;

function sayWhatIsLeft([kind]) {
  if (kind !== END) return;
  process.removeListener('message', sayWhatIsLeft);
  const say = () =>
    console.error(`This worker does not end, as it has open: ${process._getActiveHandles().map(nameOf)}`);
  setTimeout(say, SPEAKS_AFTER_MS).unref();
}

/** The command of a process that was started here, and else what kind of thing it is. */
const nameOf = (held) => held.spawnargs?.join(' ') ?? held.constructor.name;

export { default } from './measured-environment.js';
