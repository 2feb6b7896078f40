/** The oldest supported major version of Node. npm installs it with the other packages. */
const OLDEST = 24;

/** Returns instructions if this version of Node is too old, or null. */
export function explainOldNode(version: string): string | null {
  if (Number(version.split('.', 1)[0]) >= OLDEST) return null;
  return `Stele requires Node ${OLDEST} or later, but this is Node ${version}. Use the version that npm has installed: run the command through npm (npm start), or with node_modules/.bin/node instead of node.`;
}

// Entry points import this file first and load the rest afterwards. Otherwise, an older Node would fail to link the
// rest, with a confusing message about a missing export.
const problem = explainOldNode(process.versions.node);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
