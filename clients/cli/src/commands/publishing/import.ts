import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { CommandDefinition } from '../../command-line/command.js';
import { RefusedError, UsageError } from '../../command-line/errors.js';
import { type Findings, formatHeaders } from '../../import/findings.js';
import { readFirebase } from '../../import/firebase.js';
import { readCname } from '../../import/github-pages.js';
import { readNetlify } from '../../import/netlify.js';
import { readVercel } from '../../import/vercel.js';
import type { Output } from '../../output/output.js';
import { plural } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';
import { oneLine } from '../../output/table.js';
import { writeLink } from '../../project/stele-json.js';
import { formatPosition } from '../../project/syntax-position.js';

/** Settings files of other hosts and their readers. GitHub Pages expects CNAME in the folder that is published. */
const READERS: readonly (readonly [file: string, read: (text: string, file: string) => Findings])[] = [
  ['netlify.toml', readNetlify],
  ['vercel.json', readVercel],
  ['firebase.json', readFirebase],
  ...['CNAME', 'docs/CNAME', 'public/CNAME', 'static/CNAME'].map((file) => [file, readCname] as const),
];

export const importSettings: CommandDefinition = {
  usage: 'import [folder]',
  summary: 'take over settings from Netlify, Vercel, Firebase or GitHub Pages',
  examples: [
    ['stele import', 'shows what Stele can take over, and changes nothing'],
    ['stele import --write public', 'also writes stele.json, public/_redirects and public/_headers'],
  ],
  configure: (command) =>
    command.option('--write <folder>', 'write _redirects and _headers to this folder, and stele.json to the project'),
  run: async (session, [name = '.'], { write }: { write?: string }) => {
    const project = resolve(session.folder, name);
    await assertFolder(project, `There is no folder “${name}”. Name the folder of the project.`);
    const findings = await readAll(project);
    if (findings.length === 0)
      throw new RefusedError(
        `${name === '.' ? 'This folder' : name} contains none of these files: ${READERS.map(([file]) => file).join(', ')}.`,
        'nothing_to_import',
      );
    const files = formatFiles(findings);
    const commands = [...new Set(findings.flatMap((each) => each.commands))];
    const folder = findings.find((each) => each.folder !== undefined)?.folder;
    const written = write === undefined ? [] : await writeFiles(session, { project, folder, files, to: write });
    const next = commands.map((command) => ({ command, when: 'to take over the rest' }));
    session.output.result({
      json: {
        folder: folder ?? null,
        files: findings.map(({ file, carried, leftBehind }) => ({ file, carried, leftBehind })),
        ...Object.fromEntries(files),
        written: written.map((file) => relative(session.folder, file)),
        next,
      },
      quiet: written.join('\n'),
      text: [...findings.flatMap((each) => describe(session.output, each)), ...showFiles(session.output, files)].join(
        '\n',
      ),
    });
    for (const file of written) session.output.note(`Wrote     ${oneLine(relative(session.folder, file))}`);
    for (const { command, when } of next) session.output.note(`Next      ${command}   ${when}`);
    if (write === undefined) session.output.note('Nothing was written. To write these files, add --write FOLDER.');
  },
};

async function assertFolder(path: string, message: string): Promise<void> {
  if (!(await stat(path).catch(() => null))?.isDirectory()) throw new UsageError(message);
}

async function readAll(project: string): Promise<Findings[]> {
  const all: Findings[] = [];
  for (const [file, read] of READERS) {
    const text = await readFile(join(project, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
    if (text === null) continue;
    try {
      all.push(read(text, file));
    } catch (error) {
      const format = file.endsWith('.toml') ? 'TOML' : 'JSON';
      throw new RefusedError(`${file} is not valid ${format}${formatPosition(error)}.`, 'import_invalid');
    }
  }
  return all;
}

/** Formats the imported settings as the files that Stele reads. Omits empty files. */
function formatFiles(findings: readonly Findings[]): (readonly [name: string, text: string])[] {
  const texts = [
    ['_redirects', findings.flatMap(({ redirects }) => redirects).join('\n')],
    ['_headers', formatHeaders(findings.flatMap(({ headers }) => headers))],
    ['.steleignore', findings.flatMap(({ ignored }) => ignored).join('\n')],
  ] as const;
  return texts.filter(([, text]) => text !== '');
}

function describe(output: Output, { file, carried, leftBehind, redirects, headers, ignored }: Findings): string[] {
  const counted: [number, string, string][] = [
    [redirects.length, plural(redirects.length, 'redirect'), '_redirects'],
    [headers.length, plural(headers.length, 'header rule'), '_headers'],
    [ignored.length, plural(ignored.length, 'pattern'), '.steleignore'],
  ];
  const all = [...carried, ...counted.filter(([count]) => count > 0).map(([, what, to]) => ({ what, to }))];
  return [
    output.paint('bold', file),
    ...all.map(({ what, to }) => `  ${output.paint('green', '+')} ${oneLine(what)}  →  ${oneLine(to)}`),
    ...leftBehind.map(({ what, why }) => `  ${output.paint('red', '-')} ${oneLine(what)}: ${oneLine(why)}`),
    ...(all.length + leftBehind.length === 0 ? ['  nothing that Stele needs'] : []),
  ];
}

const showFiles = (output: Output, files: readonly (readonly [string, string])[]) =>
  files.flatMap(([name, text]) => [
    '',
    output.paint('bold', name),
    ...text.split('\n').map((line) => `  ${oneLine(line)}`),
  ]);

type Written = {
  readonly project: string;
  readonly folder: string | undefined;
  readonly files: readonly (readonly [string, string])[];
  readonly to: string;
};

/** Writes the files, and sets `folder` in stele.json. Asks before it replaces a file. */
async function writeFiles(
  session: Parameters<NonNullable<CommandDefinition['run']>>[0],
  { project, folder, files, to }: Written,
): Promise<string[]> {
  const target = resolve(session.folder, to);
  await assertFolder(target, `--write: There is no folder “${to}”. Name the folder that is published.`);
  const places = files.map(([name, text]) => ({ file: join(target, name), text: `${text}\n` }));
  for (const { file } of places)
    if (await stat(file).catch(() => null))
      await assertConfirmed(session, `Replace ${oneLine(relative(session.folder, file))}?`);
  for (const { file, text } of places) await writeFile(file, text);
  const link = folder === undefined ? [] : [await writeLink(project, { folder })];
  return [...places.map(({ file }) => file), ...link];
}
