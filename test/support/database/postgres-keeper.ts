import { startEmbeddedPostgres } from '../../../src/storage/postgres/embedded/embedded-postgres.js';

// A process that tests start in order to kill it. It runs PostgreSQL in the given folder, prints a line of JSON, and
// stops PostgreSQL when standard input ends. It ignores Ctrl-C, so that a test can see which other processes receive
// it.
process.on('SIGINT', () => {});

// Logs nothing, because tests check that the server has stopped. An error still ends the process.
const kept = await startEmbeddedPostgres({ folder: process.argv[2] ?? '', log: () => {} });
console.log(JSON.stringify({ connection: kept.connection, adopted: kept.adopted }));
process.stdin.resume().once('end', async () => {
  await kept.stop();
  process.exit(0);
});
