import { shown } from './entry.mjs';
import { CannotCheck, Fault } from './fault.mjs';
import { checked, checkpointOf } from './history.mjs';
import { keysFrom } from './keys.mjs';

/**
 * Checks an export; with `since`, also that it continues an older export or checkpoint; with `key`, also that the
 * service signed both. Answers what was found in sentences. Throws a Fault, or CannotCheck.
 */
export async function verify(file, { since, key }) {
  const trusted = key === undefined ? null : await keysFrom(key);
  const older = since === undefined ? null : await inFile(since, () => checkpointOf(since, trusted));
  const newer = await inFile(file, () => continued(file, trusted, older, since));

  const { checkpoint, keyId } = newer;
  const said = [
    `${file} holds: ${checkpoint.revision} events of ${shown(checkpoint.stream)}, none changed, missing, added or moved.`,
    `Its checkpoint was made at ${checkpoint.at}, with the key ${keyId}.`,
  ];
  if (older) said.push(`It continues ${since}, which ends at revision ${older.checkpoint.revision}.`);
  else
    said.push(
      'Whether this is the past that others saw before, only an older export or checkpoint can show (--since).',
    );
  if (!trusted) said.push('Whose key that is was not checked: give the keys that the service publishes (--key).');
  return said;
}

async function continued(file, trusted, older, since) {
  let last;
  for await (const entry of checked(file, trusted)) {
    last = entry;
    if (!older || entry.kind !== 'event') continue;
    const { stream, revision, hash } = older.checkpoint;
    if (entry.stream !== stream) throw new Fault(entry.number, `This is the history of another stream than ${since}.`);
    if (entry.revision !== revision || entry.hash === hash) continue;
    throw new Fault(entry.number, await rewritten(file, since, trusted, revision));
  }
  if (!older) return last;
  if (last.checkpoint.revision < older.checkpoint.revision) {
    throw new Fault(
      last.number,
      `The past was cut off: ${since} goes to revision ${older.checkpoint.revision}, and this ends at ${last.checkpoint.revision}.`,
    );
  }
  if (!trusted && last.keyId !== older.keyId) {
    throw new CannotCheck(
      `${file} and ${since} are signed with different keys. Give the keys that the service publishes: --key FILE|URL`,
    );
  }
  return last;
}

/** Which event is the first that is not the one it was. */
async function rewritten(file, since, trusted, revision) {
  const said = `The past was rewritten: revision ${revision} has another hash than in ${since}.`;
  const now = checked(file, trusted);
  try {
    for await (const was of checked(since, trusted)) {
      const { value: is } = await now.next();
      if (was.hash !== is.hash)
        return `${said} The first event that is another is revision ${is.revision}, in line ${is.number}.`;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error; // a checkpoint alone: it has no events to compare with
  } finally {
    await now.return();
  }
  return said;
}

async function inFile(file, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) error.file = file;
    throw error;
  }
}
