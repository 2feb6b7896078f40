// Run with any version of Node before `npm start` or (with `--tests`) `npm test`: installs and builds whatever is
// missing. Imports nothing before the version check, so that an old Node prints a sentence instead of a stack trace.
const oldest = 20;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(
    `Node ${process.versions.node} is too old to install Stele. Install Node ${oldest} or newer (https://nodejs.org).`,
  );
  process.exit(1);
}

const { setUp } = await import('./set-up/set-up.mjs');
// Exits explicitly, because an interrupted step may leave timers behind.
process.exit(await setUp({ build: process.argv.includes('--build'), tests: process.argv.includes('--tests') }));
