import './kept-code.js';

// Makes an idle worker exit immediately. Otherwise, it first frees the memory of hundreds of test files. That took 0.2
// s on an idle machine. After 0.5 s, Jest kills the worker and reports that it “has failed to exit gracefully”. With
// open handles, `beforeExit` is not emitted, and the worker lists the handles before Jest kills it.
if (process.connected) {
  process.once('beforeExit', () => process.exit());
  process.on('message', sayWhatIsLeft);
}

/**
 * The type of the message with which jest-worker ends a worker (CHILD_MESSAGE_END), and the time after which the worker
 * lists its open handles.
 */
const END = 2;
const SPEAKS_AFTER_MS = 400;

function sayWhatIsLeft([kind]) {
  if (kind !== END) return;
  process.removeListener('message', sayWhatIsLeft);
  const say = () =>
    console.error(`This worker does not end, as it has open: ${process._getActiveHandles().map(nameOf)}`);
  setTimeout(say, SPEAKS_AFTER_MS).unref();
}

const nameOf = (held) => held.spawnargs?.join(' ') ?? held.constructor.name;

export { default } from './measured-environment.js';
