import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** What this test run shares, by name, as `shared-resources.js` describes it. Rejects when it could not be started. */
export async function askResource<Answer>(name: string): Promise<Answer> {
  const socket = connect(process.env.STELE_TEST_RESOURCES ?? '');
  socket.write(`${name}\n`);
  const { error, ...answer } = JSON.parse(await text(socket));
  if (error !== undefined) throw new Error(error);
  return answer;
}
