import { entryOf, hashOf, printable } from './entry.mjs';
import { Fault } from './fault.mjs';
import { checkSignature } from './keys.mjs';
import { linesOf } from './lines.mjs';

/**
 * Verifies an export line by line. Yields every valid event, and finally the checkpoint. Throws a Fault at the first
 * invalid line. `trusted` contains the trusted keys by ID; null trusts the key in the file.
 */
export async function* verifiedEntries(path, trusted) {
  const lines = linesOf(path);
  let last = { number: 0, revision: 0, hash: null, stream: null };

  for await (const line of lines) {
    const entry = entryOf(line);
    if (entry.kind === 'fault') {
      throw new Fault(
        entry.number,
        `The service itself reports that this history is invalid: ${printable(entry.detail)}`,
      );
    }
    if (entry.kind === 'checkpoint') {
      checkEnd(entry, last);
      checkSignature(entry, trusted);
      for await (const { number } of lines) throw new Fault(number, 'There is a line after the checkpoint.');
      return yield entry;
    }
    await checkEvent(entry, last, lines);
    last = entry;
    yield entry;
  }
  throw new Fault(
    last.number + 1,
    `There is no checkpoint: the file ends after revision ${last.revision}. It was cut off or never completed.`,
  );
}

/** Returns the checkpoint at the end of an export, or the checkpoint in a file without events. */
export async function checkpointOf(path, trusted) {
  for await (const line of linesOf(path)) {
    const entry = entryOf(line);
    if (entry.kind !== 'checkpoint') break;
    checkSignature(entry, trusted);
    return entry;
  }
  let last;
  for await (last of verifiedEntries(path, trusted));
  return last;
}

async function checkEvent(entry, last, lines) {
  const { number, revision } = entry;
  if (last.stream !== null && entry.stream !== last.stream) {
    throw new Fault(number, `The event belongs to another stream, ${printable(entry.stream)}.`);
  }
  const due = last.revision + 1;
  if (revision === last.revision) throw new Fault(number, `Revision ${revision} appears twice.`);
  if (revision < due)
    throw new Fault(number, `Revision ${revision} comes after revision ${last.revision}: the order was changed.`);
  if (revision > due) {
    const later = await lineWith(due, lines);
    if (later)
      throw new Fault(
        number,
        `Revision ${revision} comes before revision ${due}, which is in line ${later}: the order was changed.`,
      );
    throw new Fault(
      number,
      `Revision ${due} is missing: revision ${last.revision} is followed by revision ${revision}.`,
    );
  }
  if (entry.previousHash !== last.hash) {
    throw new Fault(number, `Revision ${revision} does not follow the previous line: its previousHash is different.`);
  }
  if (entry.hash !== hashOf(entry)) {
    throw new Fault(number, `The hash of revision ${revision} does not match its content: the event was changed.`);
  }
}

function checkEnd({ number, checkpoint: { stream, revision, hash } }, last) {
  if (last.stream !== null && stream !== last.stream) {
    throw new Fault(number, `The checkpoint belongs to another stream, ${printable(stream)}.`);
  }
  if (revision > last.revision) {
    throw new Fault(
      number,
      `The checkpoint is for revision ${revision}, but the events end at ${last.revision}: some were cut off.`,
    );
  }
  if (revision < last.revision) {
    throw new Fault(
      number,
      `The checkpoint is for revision ${revision}, but the events continue to ${last.revision}: some were added.`,
    );
  }
  if (hash !== last.hash) throw new Fault(number, 'The hash in the checkpoint differs from that of the last event.');
}

/** Searches the rest of the file for a revision, to distinguish a missing event from a misplaced one. */
async function lineWith(revision, lines) {
  try {
    for await (const line of lines) {
      const entry = entryOf(line);
      if (entry.kind === 'event' && entry.revision === revision) return entry.number;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  return null;
}
