import { relative } from 'node:path';
import type { Stele } from 'stele-api/client';
import { assertAccepted } from 'stele-api/deploy/deploy';
import { prepareBody } from 'stele-api/deploy/prepare-body';
import { type PreparedDeploy, prepareDeploy } from 'stele-api/deploy/prepare-deploy';
import { type DeployOutcome, publishDeploy, type Transfer } from 'stele-api/deploy/publish-deploy';
import { type SendOptions, sendDeploy } from 'stele-api/deploy/send-deploy';
import { UsageError } from '../command-line/errors.js';
import type { ChosenSite, Session } from '../command-line/session.js';
import { cacheFolder } from '../credentials/places.js';
import { VERSION } from '../network/client-name.js';
import type { Output } from '../output/output.js';
import { formatBytes, plural } from '../output/quantities.js';
import { oneLine } from '../output/table.js';
import type { DeployOptions } from './options.js';
import { findPrivateKeys } from './private-keys.js';
import { keepEditToken } from './remember-site.js';
import { RunReport } from './run-report.js';
import { SendingProgress } from './sending-progress.js';
import { label, showBodyPlan, showDryRun, showPlan } from './show-plan.js';
import { type DeployWarning, showPrivateKeys } from './show-warnings.js';
import type { DeploySource } from './source.js';

type Wanted = { readonly stele: Stele; readonly site: ChosenSite | null; readonly options: DeployOptions };

export type Performed = {
  readonly outcome: DeployOutcome;
  /** Whether the deploy created its site. */
  readonly isNew: boolean;
  /** A page that shows the progress of this run. */
  readonly runUrl: string;
  /** The files of the deploy, or null if a page or an archive was sent. */
  readonly prepared: PreparedDeploy | null;
  /** Private keys in the folder. The user has already been warned about them. */
  readonly keys: readonly DeployWarning[];
};

/** Shows what a folder would change, and publishes it. Returns null after a dry run. */
export async function deployFolder(
  session: Session,
  { path }: Extract<DeploySource, { kind: 'folder' }>,
  { stele, site, options }: Wanted,
): Promise<Performed | null> {
  const { output, signal } = session;
  const prepared = await prepareDeploy(stele, path, {
    site: site?.slug,
    create: options.create,
    merge: options.merge,
    cacheFolder: cacheFolder(session.environment),
    clientVersion: VERSION,
    dryRun: options.dryRun,
    signal,
  });
  showPlan(output, prepared);
  const keys = await findPrivateKeys(prepared.files);
  showPrivateKeys(session, keys);
  if (!options.dryRun) assertAccepted(prepared.problems);
  else {
    showDryRun(output, prepared, keys);
    return null;
  }
  const report = new RunReport(stele);
  report.start(`Deploying ${plural(prepared.files.length, 'file')}${prepared.live ? ` to ${prepared.live.slug}` : ''}`);
  output.note(label(output, 'Watch', report.url));
  const outcome = await sendWithProgress(output, report, (progress) =>
    publishDeploy(prepared, {
      ...toSendOptions(session, prepared.stele, options, report),
      onTransfer: ({ kind, files: count, bytes }) => {
        if (kind === 'nothing') return;
        const what = kind === 'archive' ? 'one archive' : plural(count, 'file');
        output.note(label(output, 'Sending', `${what}, ${formatBytes(bytes)}`));
        progress.start(bytes);
      },
      onSent: (bytes) => progress.advance(bytes),
    }),
  );
  return { outcome, isNew: prepared.live === null, runUrl: report.url, prepared, keys };
}

export async function deployBody(
  session: Session,
  { path, type, content }: Extract<DeploySource, { kind: 'body' }>,
  { stele, site, options }: Wanted,
): Promise<Performed> {
  const { output, signal } = session;
  if (options.dryRun)
    throw new UsageError('--dry-run works only with folders. Name a folder instead of a page or an archive.');
  const name = path === null ? 'standard input' : oneLine(relative(process.cwd(), path));
  output.note(label(output, 'Found', `${name}: ${formatBytes(content.length)}`));
  const body = { body: content, type };
  const { create, merge, draft } = options;
  const prepared = await prepareBody(stele, body, { site: site?.slug, create, merge, signal });
  await showBodyPlan(output, prepared, { isDraft: draft === true });
  const report = new RunReport(stele);
  report.start(`Deploying ${formatBytes(content.length)}`);
  output.note(label(output, 'Watch', report.url));
  const outcome = await sendWithProgress(output, report, (progress) => {
    progress.start(content.length);
    const onSent = (bytes: number) => progress.advance(bytes);
    return sendDeploy(prepared, toSendOptions(session, stele, options, report), { ...body, onSent });
  });
  const sent: Transfer = { kind: 'archive', files: outcome.files, bytes: content.length };
  return { outcome: { ...outcome, sent }, isNew: prepared.live === null, runUrl: report.url, prepared: null, keys: [] };
}

const toSendOptions = (session: Session, stele: Stele, options: DeployOptions, report: RunReport): SendOptions => ({
  message: options.message,
  draft: options.draft,
  expires: options.expires,
  ifMatch: options.ifMatch,
  signal: session.signal,
  onPublished: async (result) => {
    await keepEditToken(session, stele.instance, result);
    report.end('run.succeeded', { text: `Published ${plural(result.files, 'file')}`, url: result.url });
  },
});

/**
 * Sends a deploy, and shows the progress. Reports the end of the run if the deploy fails, and waits until all reports
 * have been sent.
 */
async function sendWithProgress<Outcome>(
  output: Output,
  report: RunReport,
  send: (progress: SendingProgress) => Promise<Outcome>,
): Promise<Outcome> {
  const progress = new SendingProgress(output, report);
  try {
    return await send(progress);
  } catch (error) {
    report.end('run.failed', { text: (error as Error).message });
    throw error;
  } finally {
    progress.end();
    await report.sent();
  }
}
