// Verifies an exported history with Node 20.12 or newer. Needs no database, network or packages. Copy this file
// together with the folder `audit`. docs/audit.md describes the checks and what they prove.
import { parseArgs } from 'node:util';
import { CannotCheck, Fault } from './audit/fault.mjs';
import { verify } from './audit/verify.mjs';

const USAGE = `npm run audit -- verify FILE [--since OLDER_FILE] [--key FILE|URL]

  FILE      an export: curl -H 'accept: application/x-ndjson' …/v1/sites/SLUG/history
  --since   an older export of the same site, or its last line: detects a history that was cut off or rewritten
  --key     the public keys of the service: …/.well-known/stele-audit-key, or a file with them

Exits with 0 if everything is valid, with 1 at the first invalid line, and with 2 if the check could not be made.
`;

function wanted() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { since: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean' } },
    });
    const [command, file, ...more] = positionals;
    if (values.help) return 'help';
    return command === 'verify' && file !== undefined && more.length === 0 ? { file, values } : null;
  } catch {
    return null;
  }
}

const asked = wanted();
if (asked === null || asked === 'help') {
  process[asked ? 'stdout' : 'stderr'].write(USAGE);
  process.exitCode = asked ? 0 : 2;
} else {
  try {
    for (const sentence of await verify(asked.file, asked.values)) console.log(sentence);
  } catch (error) {
    if (error instanceof Fault) console.log(`${error.file}, line ${error.line}: ${error.message}`);
    else if (error instanceof CannotCheck) console.error(error.message);
    else console.error(`The check failed: ${error.message}`);
    process.exitCode = error instanceof Fault ? 1 : 2;
  }
}
