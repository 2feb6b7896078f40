import { relative } from 'node:path';
import type { Changes } from 'stele-api/deploy/changes';
import { assertAccepted } from 'stele-api/deploy/deploy';
import type { PreparedBody } from 'stele-api/deploy/prepare-body';
import type { PreparedDeploy } from 'stele-api/deploy/prepare-deploy';
import { readNumbers } from 'stele-api/deploy/send-deploy';
import type { LeftOut, LeftOutReason } from 'stele-api/deploy/site-paths';
import type { Output } from '../output/output.js';
import { formatBytes, plural } from '../output/quantities.js';
import { oneLine } from '../output/table.js';
import type { DeployWarning } from './show-warnings.js';

const MAX_PATHS = 8;

const REASONS: Readonly<Record<LeftOutReason, string | null>> = {
  blocked: 'blocked by the service',
  encoding: 'its name is not valid UTF-8',
  ignored: 'listed in .steleignore',
  link: 'a link, but not to a file in this folder',
  special: 'neither a file nor a folder',
  system: null,
  own: null,
};

export function showPlan(output: Output, prepared: PreparedDeploy): void {
  const { folder, files, bytes, leftOut, live, changes } = prepared;
  const name = relative(process.cwd(), folder) || '.';
  output.note(label(output, 'Found', `${oneLine(name)}: ${plural(files.length, 'file')}, ${formatBytes(bytes)}`));
  for (const line of describeLeftOut(leftOut)) output.note(label(output, 'Left out', line));
  output.note(label(output, 'Changes', describeChanges(changes, live !== null)));
  if (live) for (const line of listChanges(output, changes)) output.note(line);
}

/** Shows what a page changes in an existing site, or that an archive replaces all of its files. */
export async function showBodyPlan(
  output: Output,
  { stele, live, merge, liveFiles, changes }: PreparedBody,
  { isDraft }: { readonly isDraft: boolean },
): Promise<void> {
  if (!live) return;
  if (changes) {
    output.note(label(output, 'Changes', describeChanges(changes, true)));
    for (const line of listChanges(output, changes)) output.note(line);
    return;
  }
  if (merge || liveFiles === 0) return;
  const number = (await readNumbers(stele, live.slug, 100))(live.deployId);
  const deploy = number ? `deploy ${number}` : 'the live deploy';
  const replaced = liveFiles === 1 ? `the only file of ${deploy}` : `all ${plural(liveFiles, 'file')} of ${deploy}`;
  output.note(label(output, 'Changes', `replaces ${replaced}${isDraft ? ' when you make it live' : ''}`));
}

/** Shows what would be sent, or throws DeployRefusedError if the service would refuse it. */
export function showDryRun(
  output: Output,
  { problems, changes, missing, leftOut, live, slug }: PreparedDeploy,
  warnings: readonly DeployWarning[],
): void {
  assertAccepted(problems);
  const missingBytes = missing.reduce((sum, { size }) => sum + size, 0);
  output.result({
    json: {
      dryRun: true,
      site: live?.slug ?? slug ?? null,
      changes,
      missing: missing.length,
      missingBytes,
      leftOut,
      warnings,
    },
    text: `Nothing was sent. A deploy would send ${plural(missing.length, 'file')}, ${formatBytes(missingBytes)}.`,
    quiet: '',
  });
}

/** Formats a line that begins with a label, such as `Found     dist: 2 files`. */
export const label = (output: Output, name: string, text: string) => `${output.paint('dim', name.padEnd(9))} ${text}`;

/**
 * Returns one line for each reason why files are left out. Files of the operating system and of the command itself are
 * not mentioned.
 */
export function describeLeftOut(leftOut: readonly LeftOut[]): string[] {
  const groups = Map.groupBy(leftOut, ({ reason }) => reason);
  return [...groups].flatMap(([reason, group]) => {
    const words = REASONS[reason];
    return words ? [`${joinPaths(group.map(({ path, isFolder }) => (isFolder ? `${path}/` : path)))} (${words})`] : [];
  });
}

export function describeChanges({ added, changed, removed, unchanged }: Changes, isUpdate: boolean): string {
  if (!isUpdate) return `a new site with ${plural(added.length, 'file')}`;
  const counts: [number, string][] = [
    [added.length, 'added'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return parts.length === 0
    ? 'none: the files are the same as the live ones'
    : `${parts.join(', ')}, ${unchanged} unchanged`;
}

function listChanges(output: Output, { added, changed, removed }: Changes): string[] {
  const lines = [
    ...added.map(({ path }) => output.paint('green', `+ ${oneLine(path)}`)),
    ...changed.map(({ path }) => output.paint('yellow', `~ ${oneLine(path)}`)),
    ...removed.map(({ path }) => output.paint('red', `- ${oneLine(path)}`)),
  ];
  const more = lines.length - MAX_PATHS;
  const shown = lines.slice(0, MAX_PATHS).map((line) => `          ${line}`);
  return more > 0 ? [...shown, `          and ${plural(more, 'more path')}`] : shown;
}

function joinPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_PATHS).map(oneLine).join(', ');
  return paths.length > MAX_PATHS ? `${shown} and ${paths.length - MAX_PATHS} more` : shown;
}
