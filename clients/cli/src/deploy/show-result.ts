import { relative } from 'node:path';
import type { DeployOutcome } from 'stele-api/deploy/publish-deploy';
import type { NextStep } from '../command-line/errors.js';
import type { ChosenSite, Connection, Session } from '../command-line/session.js';
import { annotateWarning, summarize } from '../output/ci-report.js';
import { formatDuration, plural } from '../output/quantities.js';
import { oneLine } from '../output/table.js';
import type { DeployOptions } from './options.js';
import type { Performed } from './perform-deploy.js';
import { label } from './show-plan.js';

type Details = {
  /** Where visitors see the deploy: the site, or the preview of a draft. */
  readonly address: string;
  readonly site: ChosenSite | null;
  readonly credential: Connection['source'];
  readonly linkFile: string | null;
  readonly seconds: number;
  readonly options: DeployOptions;
};

/** Shows the result of a deploy, its warnings, and what can be done next. */
export async function showResult(session: Session, performed: Performed, details: Details): Promise<void> {
  const { output } = session;
  const { outcome, isNew, runUrl } = performed;
  const { address, site, credential, linkFile, seconds, options } = details;
  const { editToken, claimUrl: _, previousNumber: __, warnings, ...fields } = outcome;
  const isDraft = options.draft === true;
  const onInstance = await session.instanceOption();
  const { command, when } = chooseNextStep(outcome, { isNew, isDraft });
  const next = { command: command + onInstance, when };
  output.result({
    json: {
      status: isDraft ? 'staged' : 'live',
      ...fields,
      created: isNew,
      siteFrom: site?.source ?? null,
      credential,
      seconds: Math.round(seconds * 1000) / 1000,
      warnings,
      runUrl,
      next: [next],
    },
    quiet: address,
    text: [
      `${output.paint('green', isDraft ? 'STAGED' : 'LIVE')}  ${output.paint('bold', address)}`,
      `      ${nameDeploy(outcome)} in ${formatDuration(seconds * 1000)}, ${describeSite(outcome.slug, site, isNew)}`,
    ].join('\n'),
  });
  showWarnings(session, warnings);
  if (outcome.expiresAt) output.note(label(output, 'Expires', outcome.expiresAt));
  if (editToken) output.note(label(output, 'Claim', `stele claim${onInstance}   to move the site into your account`));
  if (linkFile)
    output.note(label(output, 'Linked', `${relative(session.folder, linkFile)} remembers the site. Commit it.`));
  output.note(label(output, isDraft ? 'Publish' : 'Undo', next.command));
  summarize(session.environment, [
    `**${isDraft ? 'Staged' : 'Live'}**: ${address}`,
    '',
    `${nameDeploy(outcome)} of ${outcome.slug}: ${plural(outcome.files, 'file')}, ${plural(warnings.length, 'warning')}.`,
    `${isDraft ? 'Publish' : 'Undo'}: \`${next.command}\``,
  ]);
}

function showWarnings({ output, environment }: Session, warnings: DeployOutcome['warnings']): void {
  for (const warning of warnings) {
    const { file, line, message } = warning;
    output.warn(oneLine(`${file}${line === undefined ? '' : `:${line}`}: ${message}`));
    annotateWarning(environment, warning);
  }
}

const nameDeploy = ({ number }: DeployOutcome) => (number === undefined ? 'Deployed' : `Deploy ${number}`);

const ORIGINS: Readonly<Record<ChosenSite['source'], string>> = {
  argument: 'named',
  flag: 'from --site',
  variable: 'from STELE_SITE',
  'stele.json': 'from stele.json',
};

function describeSite(slug: string, site: ChosenSite | null, isNew: boolean): string {
  if (site) return `site ${slug} (${ORIGINS[site.source]})`;
  return `${isNew ? 'new site' : 'site'} ${slug}`;
}

/** Returns the command that undoes the deploy, or that makes a draft live. */
function chooseNextStep(
  { slug, number, deployId, previousNumber }: DeployOutcome,
  { isNew, isDraft }: { readonly isNew: boolean; readonly isDraft: boolean },
): NextStep {
  if (isDraft) return { command: `stele rollback ${number ?? deployId} --site ${slug}`, when: 'to make it live' };
  if (isNew) return { command: `stele delete --site ${slug}`, when: 'to delete the site again' };
  return { command: `stele rollback ${previousNumber ?? 'previous'} --site ${slug}`, when: 'to undo this deploy' };
}
