import { constants, type FileHandle, open } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** Maximum length of a socket’s path in the kernel (unix(7)). */
const MAX_BYTES = 107;

/** Listens on a Unix socket whose path can have any length. Rejects if the socket cannot be created. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  const folder = await folderOfLong(path);
  const listening = new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(near(path, folder), resolve),
  );
  // When the server closes, Node removes the socket by its short path, so the folder must be open until then.
  server.once('close', () => void folder?.close());
  await listening.catch(async (error) => {
    await folder?.close();
    throw error;
  });
}

/** Connects to a socket that `listenOnSocket` created. Events of the returned socket report success or failure. */
export async function connectToSocket(path: string): Promise<Socket> {
  const folder = await folderOfLong(path);
  const socket = connect(near(path, folder));
  socket.once('close', () => void folder?.close());
  return socket;
}

const folderOfLong = async (path: string): Promise<FileHandle | null> =>
  Buffer.byteLength(path) <= MAX_BYTES ? null : open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);

/** Returns a short path to the file, through its open folder. */
const near = (path: string, folder: FileHandle | null) =>
  folder === null ? path : `/proc/self/fd/${folder.fd}/${basename(path)}`;
