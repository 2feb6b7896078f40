import { startEmbeddedPostgres } from '../../../src/storage/postgres/embedded/embedded-postgres.js';

// A process that tests start to kill it: keeps the PostgreSQL in the folder it is given, says so in one line of JSON,
// and stops it when its input ends. Deaf to Ctrl-C, so that a test sees who else would have heard it.
process.on('SIGINT', () => {});

// That the server has gone away is what the tests see to; what stops this process is told of as an error.
const kept = await startEmbeddedPostgres({ folder: process.argv[2] ?? '', log: () => {} });
console.log(JSON.stringify({ connection: kept.connection, adopted: kept.adopted }));
process.stdin.resume().once('end', async () => {
  await kept.stop();
  process.exit(0);
});
