import type { BuildTool } from '../../kernel/ports/outside/builder.js';

const EXACT = /^\d{1,4}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/;

/** Reports whether a version is exact. The content of an exact version never changes, so it can be stored. */
export const isExact = (version: string) => EXACT.test(version);

/**
 * Returns a tool’s npm package. Yarn has two packages, of which the older is called `yarn`. Node has one package per
 * processor.
 */
export function choosePackage({ name, version }: BuildTool, arch: string): string {
  if (name === 'node') return `node-linux-${arch}`;
  if (name !== 'yarn') return name;
  return /^[01]\./.test(version) ? 'yarn' : '@yarnpkg/cli-dist';
}

/** Returns the package URL of a tool (github.com/package-url/purl-spec). */
export const packageUrl = (tool: BuildTool, arch: string) =>
  `pkg:npm/${choosePackage(tool, arch).replace('@', '%40')}@${tool.version}`;

/** Returns the folder of a tool’s commands, relative to the folder in which the tool is installed. */
export const locateCommands = (tool: BuildTool, arch: string) =>
  tool.name === 'node' ? `node_modules/${choosePackage(tool, arch)}/bin` : 'node_modules/.bin';

export const formatToolFolder = ({ name, version }: BuildTool) => `${name}@${version}`;
