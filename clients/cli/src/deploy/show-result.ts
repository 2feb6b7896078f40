import { relative } from 'node:path';
import type { DeployOutcome } from 'stele-api/deploy/publish-deploy';
import type { NextStep } from '../command-line/errors.js';
import type { ChosenSite, Connection, Session } from '../command-line/session.js';
import { summarize } from '../output/ci-report.js';
import { formatDeadline, formatDuration, plural } from '../output/quantities.js';
import type { DeployOptions } from './options.js';
import type { Performed } from './perform-deploy.js';
import { label } from './show-plan.js';
import { showWarnings } from './show-warnings.js';

type Details = {
  /** Where visitors see the deploy: the site, or the preview of a draft. */
  readonly address: string;
  readonly site: ChosenSite | null;
  readonly credential: Connection['source'];
  readonly linkFile: string | null;
  readonly seconds: number;
  readonly options: DeployOptions;
};

export async function showResult(session: Session, performed: Performed, details: Details): Promise<void> {
  const { output, isTokenLost } = session;
  const { outcome, isNew, runUrl, keys } = performed;
  const { address, site, credential, linkFile, seconds, options } = details;
  const { editToken, claimUrl: _, warnings: others, ...fields } = outcome;
  // Omit the service's warnings about files in `keys`. The service finds the same keys when it unpacks an archive.
  const found = others.filter(({ file }) => !keys.some((key) => key.file === file));
  const warnings = [...keys, ...found];
  const { unchanged, previousNumber } = outcome;
  const isDraft = options.draft === true;
  const onInstance = await session.instanceOption();
  const steps = isTokenLost ? [] : chooseNextSteps(outcome, { isNew, isDraft });
  const next = steps.map(({ command, when }) => ({ command: command + onInstance, when }));
  const nextLabel = isDraft ? 'Publish' : 'Undo';
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
      next,
    },
    quiet: address,
    text: [
      `${output.paint('green', isDraft ? 'STAGED' : 'LIVE')}  ${output.paint('bold', address)}`,
      `      ${nameDeploy(outcome)} in ${formatDuration(seconds * 1000)}, ${describeSite(outcome.slug, site, isNew)}`,
      ...(unchanged ? [`      Same files as ${previousNumber ? `deploy ${previousNumber}` : 'before'}`] : []),
    ].join('\n'),
  });
  showWarnings(session, found);
  if (outcome.expiresAt)
    output.note(label(output, 'Expires', `${formatDeadline(outcome.expiresAt)}, unless you claim it`));
  if (editToken && !isTokenLost)
    output.note(
      label(
        output,
        'Claim',
        `stele claim${linkFile ? '' : ` ${outcome.slug}`}${onInstance}   to move the site into your account`,
      ),
    );
  if (linkFile)
    output.note(label(output, 'Linked', `${relative(session.folder, linkFile)} remembers the site. Commit it.`));
  for (const { command } of next) output.note(label(output, nextLabel, command));
  summarize(session.environment, [
    `**${isDraft ? 'Staged' : 'Live'}**: ${address}`,
    '',
    `${nameDeploy(outcome)} of ${outcome.slug}: ${plural(outcome.files, 'file')}, ${plural(warnings.length, 'warning')}.`,
    ...next.map(({ command }) => `${nextLabel}: \`${command}\``),
  ]);
}

const nameDeploy = ({ number }: DeployOutcome) => (number ? `Deploy ${number}` : 'Deployed');

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

/** Returns the command that undoes the deploy or makes a draft live, if there is one. */
function chooseNextSteps(
  { slug, number, deployId, previousNumber, unchanged }: DeployOutcome,
  { isNew, isDraft }: { readonly isNew: boolean; readonly isDraft: boolean },
): NextStep[] {
  if (isDraft) return [{ command: `stele rollback ${number ?? deployId} --site ${slug}`, when: 'to make it live' }];
  if (unchanged) return [];
  if (isNew) return [{ command: `stele delete --site ${slug}`, when: 'to delete the site again' }];
  return [{ command: `stele rollback ${previousNumber ?? 'previous'} --site ${slug}`, when: 'to undo this deploy' }];
}
