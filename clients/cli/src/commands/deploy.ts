import { dirname, relative, resolve } from 'node:path';
import { assertAccepted } from 'stele-api/deploy/deploy';
import { type PreparedDeploy, prepareDeploy } from 'stele-api/deploy/prepare-deploy';
import { type DeployOutcome, publishDeploy } from 'stele-api/deploy/publish-deploy';
import { publishBody, type SendOptions } from 'stele-api/deploy/send-deploy';
import { type CommandDefinition, InvalidArgumentError, Option } from '../command-line/command.js';
import { NotSignedInError, RefusedError, UsageError } from '../command-line/errors.js';
import type { ChosenSite, Connection, Session } from '../command-line/session.js';
import { cacheFolder } from '../credentials/places.js';
import { RunReport } from '../deploy/run-report.js';
import { showPlan } from '../deploy/show-plan.js';
import { type DeploySource, findSource } from '../deploy/source.js';
import { verifyPublished } from '../deploy/verify.js';
import { VERSION } from '../network/client-name.js';
import { openBrowser } from '../network/open-browser.js';
import { annotateWarning, summarize } from '../output/ci-report.js';
import { ProgressBar } from '../output/progress-bar.js';
import { formatBytes, formatDuration, plural } from '../output/quantities.js';
import { oneLine } from '../output/table.js';
import { toLinkPath, writeLink } from '../project/stele-json.js';

type Options = {
  readonly site?: string;
  readonly create?: boolean;
  readonly message?: string;
  readonly draft?: boolean;
  readonly merge?: boolean;
  readonly expires?: string;
  readonly ifMatch?: string;
  readonly dryRun?: boolean;
  readonly anonymous?: boolean;
  readonly open?: boolean;
  readonly verify?: boolean;
  readonly link: boolean;
};

export const deploy: CommandDefinition = {
  usage: 'deploy [source]',
  summary: 'publish a folder, a page, an archive or standard input (-)',
  examples: [
    ['stele deploy', 'publishes dist, build, out, public or _site, whichever is here, or this folder'],
    ['stele deploy build --site my-site --message "New prices"', 'updates a site, and says why in its history'],
  ],
  configure: (command) =>
    command
      .option('--site <name>', 'the site (or STELE_SITE, or stele.json)')
      .option('--create', 'create the named site if it does not exist')
      .option('--message <text>', 'what changed, for the history of the site')
      .option('--draft', 'store the deploy without making it live')
      .option('--merge', 'add the files to the live ones instead of replacing the site')
      .option('--expires <duration>', 'when a new anonymous site expires, such as 2h or 7d')
      .addOption(
        new Option('--if-match <revision>', 'refuse if the site has changed since this revision').argParser(
          parseRevision,
        ),
      )
      .option('--dry-run', 'show what would change, and send nothing')
      .option('--anonymous', 'deploy without an account')
      .option('--open', 'open the site in a browser')
      .option('--verify', 'fetch what was published through its public address, and compare')
      .option('--no-link', 'do not write stele.json for a new site'),
  run: async (session, [argument], options: Options) => {
    const started = performance.now();
    const site = await session.findSite(undefined, options.site);
    const connection = await connectForDeploy(session, site, options);
    const source = await findSource(session, argument);
    const published = await (source.kind === 'folder'
      ? deployFolder(session, connection, { path: source.path, site, options })
      : deployBody(session, connection, { source, site, options }));
    if (published) await finish(session, connection, { ...published, source, site, options, started });
  },
};

/** Deploys without an account only where somebody could want that: by hand, in a folder that is not linked. */
async function connectForDeploy(session: Session, site: ChosenSite | null, { anonymous, site: flag }: Options) {
  const connection = await session.connect({ site: site?.slug, anonymous: anonymous === true });
  if (connection.source !== 'none' || anonymous) return connection;
  const where =
    (await session.link)?.site && !flag ? 'This folder is linked to a site' : session.isCi ? 'This is CI' : null;
  if (site || where)
    throw new NotSignedInError(
      `${where ?? `The site ${site?.slug} was named`}, but there is no credential for ${connection.stele.instance}.`,
      [
        { command: 'stele login', when: 'to sign in on this machine' },
        { command: 'STELE_INSTANCE=… STELE_TOKEN=… stele deploy', when: 'in a script, with an access token' },
        { command: 'stele deploy --anonymous', when: 'to deploy without an account' },
      ],
    );
  return connection;
}

type Published = {
  readonly outcome: DeployOutcome;
  readonly isNew: boolean;
  readonly runUrl: string;
  readonly prepared: PreparedDeploy | null;
};

type FolderDeploy = { readonly path: string; readonly site: ChosenSite | null; readonly options: Options };

async function deployFolder(session: Session, { stele }: Connection, { path, site, options }: FolderDeploy) {
  const { output, signal } = session;
  const prepared = await prepareDeploy(stele, path, {
    site: site?.slug,
    create: options.create,
    merge: options.merge,
    cacheFolder: cacheFolder(session.environment),
    clientVersion: VERSION,
    signal,
  });
  showPlan(output, prepared);
  if (options.dryRun) {
    showDryRun(session, prepared);
    return null;
  }
  assertAccepted(prepared.problems);
  const report = new RunReport(stele);
  report.start(`Deploying ${plural(prepared.files.length, 'file')}${prepared.live ? ` to ${prepared.live.slug}` : ''}`);
  output.note(output.paint('dim', `Watch     ${report.url}`));
  const outcome = await reportRun(report, () => sendWithProgress(session, prepared, options, report));
  return { outcome, isNew: prepared.live === null, runUrl: report.url, prepared } satisfies Published;
}

async function sendWithProgress(session: Session, prepared: PreparedDeploy, options: Options, report: RunReport) {
  const { output, signal } = session;
  let bar: ProgressBar | null = null;
  let [sent, total] = [0, 0];
  try {
    return await publishDeploy(prepared, {
      ...toSendOptions(options),
      signal,
      onTransfer: ({ kind, files, bytes }) => {
        total = bytes;
        if (kind === 'nothing') return;
        const what =
          kind === 'archive' ? `one archive, ${formatBytes(bytes)}` : `${plural(files, 'file')}, ${formatBytes(bytes)}`;
        output.note(output.paint('dim', `Sending   ${what}`));
        if (output.isLive) bar = new ProgressBar(bytes);
      },
      onSent: (bytes) => {
        sent += bytes;
        bar?.advance(bytes);
        report.progress(`${formatBytes(sent)} of ${formatBytes(total)} sent`);
      },
    });
  } finally {
    (bar as ProgressBar | null)?.end();
  }
}

type BodyDeploy = {
  readonly source: Extract<DeploySource, { kind: 'body' }>;
  readonly site: ChosenSite | null;
  readonly options: Options;
};

async function deployBody(session: Session, { stele }: Connection, { source, site, options }: BodyDeploy) {
  const { output, signal } = session;
  if (options.dryRun) throw new UsageError('--dry-run compares folders. Unpack the archive, and name the folder.');
  output.note(
    `${output.paint('dim', 'Found    ')} ${source.path ?? 'standard input'}: ${formatBytes(source.content.length)}`,
  );
  const report = new RunReport(stele);
  report.start(`Deploying ${formatBytes(source.content.length)}`);
  const body = { body: source.content, type: source.type };
  const { isNew, ...outcome } = await reportRun(report, () =>
    publishBody(stele, body, {
      ...toSendOptions(options),
      site: site?.slug,
      create: options.create,
      merge: options.merge,
      signal,
    }),
  );
  const sent = { kind: 'archive', files: outcome.files, bytes: source.content.length } as const;
  return { outcome: { ...outcome, sent }, isNew, runUrl: report.url, prepared: null } satisfies Published;
}

async function reportRun<Outcome extends Pick<DeployOutcome, 'files' | 'url'>>(
  report: RunReport,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const outcome = await work();
    await report.end('run.succeeded', { text: `Published ${plural(outcome.files, 'file')}`, url: outcome.url });
    return outcome;
  } catch (error) {
    await report.end('run.failed', { text: (error as Error).message });
    throw error;
  }
}

const toSendOptions = ({ message, draft, expires, ifMatch }: Options): SendOptions => ({
  message,
  draft,
  expires,
  ifMatch,
});

function showDryRun({ output }: Session, { problems, changes, missing, leftOut, live, slug }: PreparedDeploy): void {
  assertAccepted(problems);
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  output.result({
    json: {
      dryRun: true,
      site: live?.slug ?? slug ?? null,
      changes,
      missing: missing.length,
      missingBytes: bytes,
      leftOut,
    },
    text: `Nothing was sent. A deploy would send ${plural(missing.length, 'file')}, ${formatBytes(bytes)}.`,
    quiet: '',
  });
}

type Finished = Published & {
  readonly source: DeploySource;
  readonly site: ChosenSite | null;
  readonly options: Options;
  readonly started: number;
};

async function finish(session: Session, { stele, source: credential }: Connection, finished: Finished): Promise<void> {
  const { outcome, isNew, runUrl, site, source, options, started, prepared } = finished;
  const { output } = session;
  const { editToken, claimUrl, previousNumber, sent, warnings, ...fields } = outcome;
  if (editToken) await keepEditToken(session, stele.instance, { slug: outcome.slug, editToken, claimUrl });
  const linkFile =
    isNew && options.link && !session.isCi ? await linkFolder(session, stele.instance, outcome.slug, source) : null;
  const address = options.draft ? outcome.previewUrl : outcome.url;
  if (options.verify) await verify(session, prepared, address);
  const seconds = (performance.now() - started) / 1000;
  const undo = chooseUndo(outcome, { isNew, isDraft: options.draft === true });
  output.result({
    json: {
      status: options.draft ? 'staged' : 'live',
      ...fields,
      created: isNew,
      siteFrom: site?.source ?? null,
      credential,
      seconds: Math.round(seconds * 1000) / 1000,
      sent,
      warnings,
      runUrl,
      next: [undo],
    },
    quiet: address,
    text: [
      `${output.paint('green', options.draft ? 'STAGED' : 'LIVE')}  ${output.paint('bold', address)}`,
      `      ${describeDeploy(outcome.number)} in ${formatDuration(seconds * 1000)}, ${describeSite(outcome.slug, site, isNew)}`,
    ].join('\n'),
  });
  for (const warning of warnings) {
    const { file, line, message } = warning;
    output.warn(oneLine(`${file}${line === undefined ? '' : `:${line}`}: ${message}`));
    annotateWarning(session.environment, warning);
  }
  summarize(session.environment, [
    `**${options.draft ? 'Staged' : 'Live'}**: ${address}`,
    '',
    `${describeDeploy(outcome.number)} of ${outcome.slug}: ${plural(outcome.files, 'file')}, ${plural(warnings.length, 'warning')}. Undo: \`${undo.command}\``,
  ]);
  if (outcome.expiresAt) output.note(`Expires   ${outcome.expiresAt}`);
  if (editToken) output.note('Claim     stele claim   to keep the site in an account');
  if (linkFile) output.note(`Linked    ${relative(session.folder, linkFile)} remembers the site. Commit it.`);
  output.note(`${options.draft ? 'Publish  ' : 'Undo     '} ${undo.command}`);
  if (options.open) await openBrowser(address, session.environment);
}

const describeDeploy = (number: number | undefined) => (number === undefined ? 'Deployed' : `Deploy ${number}`);

function describeSite(slug: string, site: ChosenSite | null, isNew: boolean): string {
  const origins = {
    argument: 'named',
    flag: 'from --site',
    variable: 'from STELE_SITE',
    'stele.json': 'from stele.json',
  };
  if (site) return `site ${slug} (${origins[site.source]})`;
  return `${isNew ? 'new site' : 'site'} ${slug}`;
}

function chooseUndo(outcome: DeployOutcome, { isNew, isDraft }: { isNew: boolean; isDraft: boolean }) {
  if (isDraft)
    return {
      command: `stele rollback ${outcome.number ?? outcome.deployId} --site ${outcome.slug}`,
      when: 'to make it live',
    };
  if (isNew) return { command: `stele delete --site ${outcome.slug}`, when: 'to take the site away again' };
  return {
    command: `stele rollback ${outcome.previousNumber ?? 'previous'} --site ${outcome.slug}`,
    when: 'to undo this deploy',
  };
}

type NewSite = { readonly slug: string; readonly editToken: string; readonly claimUrl: string | undefined };

/** The token cannot be recovered, so it is shown if it cannot be kept. */
async function keepEditToken(
  { output, credentialsFile }: Session,
  instance: string,
  { slug, editToken, claimUrl }: NewSite,
) {
  try {
    await credentialsFile.keepEditToken(instance, slug, editToken);
  } catch (error) {
    output.warn(
      `The edit token of the site could not be stored in ${credentialsFile.path}: ${(error as Error).message}`,
    );
    process.stderr.write(`Keep this address, which is the only way to own the site: ${claimUrl ?? editToken}\n`);
  }
}

async function linkFolder(
  session: Session,
  instance: string,
  site: string,
  source: DeploySource,
): Promise<string | null> {
  const link = await session.link;
  const folder = link ? dirname(link.file) : session.folder;
  const path = source.path === null ? undefined : toLinkPath(folder, resolve(session.folder, source.path));
  // A site that is linked stays linked: this deploy created another one, by name.
  if (path === undefined || path.startsWith('..') || link?.site) return null;
  return writeLink(folder, { instance, site, folder: path }).catch((error) => {
    session.output.warn(`stele.json could not be written, so name the site next time: ${(error as Error).message}`);
    return null;
  });
}

async function verify(session: Session, prepared: PreparedDeploy | null, address: string): Promise<void> {
  if (!prepared) throw new RefusedError('--verify compares folders. The deploy itself succeeded.', 'not_verified');
  const count = await verifyPublished(address, prepared.files, session.signal);
  session.output.note(`Verified  ${plural(count, 'file')} through ${address}`);
}

/** A revision as responses write it: `"7"`. People type it without quotation marks. */
function parseRevision(text: string): string {
  if (text === '*') return text;
  const revision = /^"?(\d+)"?$/.exec(text)?.[1];
  if (revision === undefined) throw new InvalidArgumentError('It must be a revision such as 7, or *.');
  return `"${revision}"`;
}
