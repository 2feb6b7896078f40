import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Returns a resource by its name in `shared-resources.js`. Rejects if it could not be started. */
export async function askResource<Answer>(name: string): Promise<Answer> {
  const socket = connect(process.env.STELE_TEST_RESOURCES ?? '');
  socket.write(`${name}\n`);
  const { error, ...answer } = JSON.parse(await text(socket));
  if (error !== undefined) throw new Error(error);
  return answer;
}
