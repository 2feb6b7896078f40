import { constants, type FileHandle, open } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** What the kernel takes of a socket's path (unix(7)). */
const MOST_BYTES = 107;

/** Listens on a socket in the file system, however long its path is. Rejects where it cannot be made. */
export async function listenAt(server: Server, path: string): Promise<void> {
  const folder = await folderOfLong(path);
  const listening = new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(near(path, folder), resolve),
  );
  // Node removes the socket by the path it was given, which leads there as long as the folder is open.
  server.once('close', () => void folder?.close());
  await listening.catch(async (error) => {
    await folder?.close();
    throw error;
  });
}

/** A connection to such a socket, which tells by its events what becomes of it. */
export async function connectTo(path: string): Promise<Socket> {
  const folder = await folderOfLong(path);
  const socket = connect(near(path, folder));
  socket.once('close', () => void folder?.close());
  return socket;
}

const folderOfLong = async (path: string): Promise<FileHandle | null> =>
  Buffer.byteLength(path) <= MOST_BYTES ? null : open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);

/** By the open folder, whose own path does not count then. */
const near = (path: string, folder: FileHandle | null) =>
  folder === null ? path : `/proc/self/fd/${folder.fd}/${basename(path)}`;
