// Run before `npm start`, and with `--tests` before `npm test`, by any Node on the machine: installs and builds
// whatever is missing. Nothing is imported before the check, so that an old Node prints one sentence instead of a stack
// trace.
const oldest = 20;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(
    `Node ${process.versions.node} is too old to install Stele. Install Node ${oldest} or newer (https://nodejs.org).`,
  );
  process.exit(1);
}

const { setUp } = await import('./set-up/set-up.mjs');
// An interrupted step may leave timers behind.
process.exit(await setUp({ build: process.argv.includes('--build'), tests: process.argv.includes('--tests') }));
