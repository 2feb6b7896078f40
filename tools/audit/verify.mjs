import { printable } from './entry.mjs';
import { CannotCheck, Fault } from './fault.mjs';
import { checkpointOf, verifiedEntries } from './history.mjs';
import { keysFrom } from './keys.mjs';

/**
 * Verifies an export. With `since`, also verifies that it continues an older export or checkpoint; with `key`, also
 * that the service signed both. Returns the findings as sentences. Throws a Fault, or CannotCheck.
 */
export async function verify(file, { since, key }) {
  const trusted = key === undefined ? null : await keysFrom(key);
  const older = since === undefined ? null : await inFile(since, () => checkpointOf(since, trusted));
  const newer = await inFile(file, () => continued(file, trusted, older, since));

  const { checkpoint, keyId } = newer;
  const sentences = [
    `${file} is valid: ${checkpoint.revision} event${checkpoint.revision === 1 ? '' : 's'} of ${printable(checkpoint.stream)}, none changed, missing, added or moved.`,
    `Its checkpoint was signed at ${checkpoint.at} with the key ${keyId}.`,
  ];
  if (older) sentences.push(`It continues ${since}, which ends at revision ${older.checkpoint.revision}.`);
  else
    sentences.push(
      'To check that the history was not rewritten, compare it with an older export or checkpoint (--since).',
    );
  if (!trusted)
    sentences.push(
      'The owner of that key was not checked. To check it, pass the keys that the service publishes (--key).',
    );
  return sentences;
}

async function continued(file, trusted, older, since) {
  let last;
  for await (const entry of verifiedEntries(file, trusted)) {
    last = entry;
    if (!older || entry.kind !== 'event') continue;
    const { stream, revision, hash } = older.checkpoint;
    if (entry.stream !== stream) throw new Fault(entry.number, `This history belongs to another stream than ${since}.`);
    if (entry.revision !== revision || entry.hash === hash) continue;
    throw new Fault(entry.number, await rewritten(file, since, trusted, revision));
  }
  if (!older) return last;
  if (last.checkpoint.revision < older.checkpoint.revision) {
    throw new Fault(
      last.number,
      `The history was cut off: ${since} ends at revision ${older.checkpoint.revision}, but this file at ${last.checkpoint.revision}.`,
    );
  }
  if (!trusted && last.keyId !== older.keyId) {
    throw new CannotCheck(
      `${file} and ${since} are signed with different keys. Pass the keys that the service publishes: --key FILE|URL`,
    );
  }
  return last;
}

/** Returns a sentence that names the first event that has changed since an older export. */
async function rewritten(file, since, trusted, revision) {
  const sentence = `The history was rewritten: revision ${revision} has a different hash in ${since}.`;
  const now = verifiedEntries(file, trusted);
  try {
    for await (const was of verifiedEntries(since, trusted)) {
      const { value: is } = await now.next();
      if (was.hash !== is.hash)
        return `${sentence} The first event that differs is revision ${is.revision}, in line ${is.number}.`;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error; // A file with only a checkpoint has no events to compare with.
  } finally {
    await now.return();
  }
  return sentence;
}

async function inFile(file, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) error.file = file;
    throw error;
  }
}
