/** The oldest major version of Node that runs the service. npm installs it with the other packages. */
const OLDEST = 24;

/** Returns what to do if this version of Node cannot run the service, or null if it can. */
export function explainOldNode(version: string): string | null {
  if (Number(version.split('.', 1)[0]) >= OLDEST) return null;
  return `Stele runs on Node ${OLDEST} or later, and this is Node ${version}. Use the Node that npm has installed: run the command with npm (npm start), or with node_modules/.bin/node instead of node.`;
}

// Entry points import this file before everything else, and load the rest only afterwards: an older Node fails while it
// links the rest, with a message that names an export of Node.
const problem = explainOldNode(process.versions.node);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
