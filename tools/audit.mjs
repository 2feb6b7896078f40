// Checks an exported history on any machine with Node 20.12 or newer: no database, no network, nothing to install.
// Take this file and the folder `audit` beside it. docs/audit.md says what is checked, and what it proves.
import { parseArgs } from 'node:util';
import { CannotCheck, Fault } from './audit/fault.mjs';
import { verify } from './audit/verify.mjs';

const USAGE = `npm run audit -- verify FILE [--since OLDER_FILE] [--key FILE|URL]

  FILE      an export: curl -H 'accept: application/x-ndjson' …/v1/sites/SLUG/history
  --since   an older export of the same site, or the last line of one: shows a past that was cut off or rewritten
  --key     the service's public keys: …/.well-known/stele-audit-key, or a file of them

Ends with 0 when everything holds, with 1 at the first line that does not, and with 2 when it could not be checked.
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
    else console.error(`This could not be checked: ${error.message}`);
    process.exitCode = error instanceof Fault ? 1 : 2;
  }
}
