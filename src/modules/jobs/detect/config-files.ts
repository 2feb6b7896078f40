import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import type { RepoFiles } from './repo-files.js';

export const listConfigs = (name: string): readonly string[] =>
  ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `${name}.config.${ending}`);

/** Returns the text of the first file that exists, without line comments. Returns an empty string if none exists. */
export async function readFirst(files: RepoFiles, folder: string, names: readonly string[]): Promise<string> {
  const name = names.find((each) => files.has(`/${folder}/${each}`));
  if (name === undefined) return '';
  const text = await files.readFile(`/${folder}/${name}`).catch(ignoreFault);
  return (text ?? '').replace(/(?:^|\s)\/\/.*$/gm, '');
}
