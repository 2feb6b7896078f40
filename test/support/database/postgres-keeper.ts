import { startEmbeddedPostgres } from '../../../src/storage/postgres/embedded/embedded-postgres.js';

// A process that tests start in order to kill it. It runs PostgreSQL in the given folder, prints a line of JSON, and
// stops PostgreSQL when standard input ends. It ignores Ctrl-C, so that a test can see which other processes receive
// it.
process.on('SIGINT', () => {});

// Discards log messages, because tests check for themselves that the server has stopped. If PostgreSQL fails to start,
// this process still ends with an error.
const kept = await startEmbeddedPostgres({ folder: process.argv[2] ?? '', log: () => {} });
console.log(JSON.stringify({ connection: kept.connection, adopted: kept.adopted }));
process.stdin.resume().once('end', async () => {
  await kept.stop();
  process.exit(0);
});
