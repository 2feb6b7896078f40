import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { EmbeddedPostgresError, systemCode } from './embedded-postgres-error.js';

/**
 * The user that PostgreSQL runs as. PostgreSQL refuses to run as root, so `drop` contains the user and group IDs to
 * switch to. It is null if no switch is needed.
 */
export type ServerAccount = {
  readonly uid: number;
  readonly drop: { readonly uid: number; readonly gid: number } | null;
};

/**
 * Returns the user that PostgreSQL runs as: the current user or, for root, the owner of `dataFolder`. If root has no
 * `dataFolder` yet, returns `postgres` or, if that user does not exist, `nobody`.
 */
export async function serverAccount(dataFolder: string): Promise<ServerAccount> {
  const ours = process.getuid?.() ?? -1;
  const owner = await ownerOf(dataFolder);
  if (ours !== 0) {
    if (owner && owner.uid !== ours) throw ownedByAnother(dataFolder, owner.uid, ours);
    if (!owner) mustHavePasswdEntry();
    return { uid: ours, drop: null };
  }
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `${dataFolder} belongs to root, but PostgreSQL does not run as root. Change its owner with "chown -R nobody ${dataFolder}".`,
    );
  }
  const account = owner ?? (await passwdEntry('postgres')) ?? (await passwdEntry('nobody'));
  if (!account) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and /etc/passwd has no user "postgres" or "nobody" to run it as. Add one, or run as another user.',
    );
  }
  return { uid: account.uid, drop: account };
}

async function ownerOf(folder: string) {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new EmbeddedPostgresError(`Could not access ${folder} (${systemCode(error)}).`, { cause: error });
  }
}

async function passwdEntry(name: string) {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const fields = passwd
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':');
  return fields ? { uid: Number(fields[2]), gid: Number(fields[3]) } : null;
}

function mustHavePasswdEntry() {
  try {
    userInfo();
  } catch (error) {
    throw new EmbeddedPostgresError(
      'The current user has no entry in /etc/passwd, which PostgreSQL requires. Add the entry, or run as another user.',
      { cause: error },
    );
  }
}

function ownedByAnother(folder: string, owner: number, ours: number) {
  return new EmbeddedPostgresError(
    `${folder} belongs to user ${owner}, but this process runs as user ${ours}. Run as that user, or choose another folder.`,
  );
}
