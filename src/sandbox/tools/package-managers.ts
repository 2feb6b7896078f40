import type { BuildTool } from '../../kernel/ports/outside/builder.js';

const EXACT = /^\d{1,4}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/;

/** Whether a version is exact: then what it names never changes, and can be kept. */
export const isExact = (version: string) => EXACT.test(version);

/** The package of a tool. Yarn has two: the first was called `yarn`. Node is a program for one kind of processor. */
export function packageOf({ name, version }: BuildTool, arch: string): string {
  if (name === 'node') return `node-linux-${arch}`;
  if (name !== 'yarn') return name;
  return /^[01]\./.test(version) ? 'yarn' : '@yarnpkg/cli-dist';
}

/** The package of a tool as others name it (github.com/package-url/purl-spec). */
export const packageUrl = (tool: BuildTool, arch: string) =>
  `pkg:npm/${packageOf(tool, arch).replace('@', '%40')}@${tool.version}`;

/** Where the tool’s commands are, under the folder that it was installed into. */
export const commandsOf = (tool: BuildTool, arch: string) =>
  tool.name === 'node' ? `node_modules/${packageOf(tool, arch)}/bin` : 'node_modules/.bin';

/** Its name among the tools that are kept. */
export const folderOf = ({ name, version }: BuildTool) => `${name}@${version}`;
