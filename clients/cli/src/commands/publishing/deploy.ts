import { dirname, resolve } from 'node:path';
import { isInside } from 'stele-api/deploy/is-inside';
import { readSite, SiteMissingError } from 'stele-api/deploy/live-site';
import { type CommandDefinition, InvalidArgumentError, Option } from '../../command-line/command.js';
import { NotSignedInError, SIGN_IN, USE_TOKEN, UsageError } from '../../command-line/errors.js';
import { addSiteOption } from '../../command-line/on-site.js';
import type { ChosenSite, Connection, Session } from '../../command-line/session.js';
import type { DeployOptions } from '../../deploy/options.js';
import { deployBody, deployFolder } from '../../deploy/perform-deploy.js';
import { linkFolder } from '../../deploy/remember-site.js';
import { showResult } from '../../deploy/show-result.js';
import { findSource } from '../../deploy/source.js';
import { verifyDeploy } from '../../deploy/verify.js';
import { openBrowser } from '../../network/open-browser.js';
import { quote } from '../../output/quote.js';
import { resolveLinkedFolder } from '../../project/stele-json.js';

export const deploy: CommandDefinition = {
  usage: 'deploy [source]',
  summary: 'publish a folder, a page, an archive or standard input (-)',
  examples: [
    ['stele deploy', 'publishes dist, build, out, public, _site or this folder, whichever has an index.html'],
    ['stele deploy build --site my-site -m "New prices"', 'updates a site, with a message for its history'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option('--create', 'create the named site if it does not exist')
      .option('-m, --message <text>', 'a message for the history of the site')
      .option('--draft', 'store the deploy without making it live')
      .option('--merge', 'add the files to the live ones instead of replacing the site')
      .option('--expires <duration>', 'the time after which a new anonymous site expires, such as 2h or 7d')
      .addOption(
        new Option('--if-match <revision>', 'fail if the site has changed since this revision').argParser(
          parseRevision,
        ),
      )
      .option('--dry-run', 'show what would change, and send nothing')
      .option('--anonymous', 'deploy without an account')
      .option('--open', 'open the site in a browser afterwards')
      .option('--verify', 'fetch every published file from its public address, and compare it')
      .option('--no-link', 'do not write stele.json for a new site; with --anonymous, also ignore the linked site'),
  run: async (session, [argument], options: DeployOptions) => {
    const started = performance.now();
    if (argument !== undefined && argument !== '-') await session.useLinkIn(argument);
    const found = await session.findSite(undefined, options.site);
    const ignoresLink = options.anonymous && !options.link && found?.source === 'stele.json';
    const site = ignoresLink ? null : found;
    if (site?.source === 'stele.json' && !options.merge) await assertLinkApplies(session, site.slug, argument);
    const connection = await connectForDeploy(session, site, options);
    await assertOptionsApply(session, connection, site, options);
    const source = await findSource(session, argument);
    const wanted = { stele: connection.stele, site, options };
    const performed =
      source.kind === 'folder'
        ? await deployFolder(session, source, wanted)
        : await deployBody(session, source, wanted);
    if (!performed) return;
    const { slug, url, previewUrl } = performed.outcome;
    const address = options.draft ? previewUrl : url;
    const linkFile =
      performed.isNew && options.link ? await linkFolder(session, { stele: connection.stele, slug, source }) : null;
    if (options.verify) await verifyDeploy(session, connection.stele, performed, address);
    const seconds = (performance.now() - started) / 1000;
    await showResult(session, performed, { address, site, credential: connection.source, linkFile, seconds, options });
    if (options.open) await openBrowser(address, session.environment);
  },
};

/**
 * Throws UsageError if the user names a folder other than the linked one, or is in a folder that is neither that of
 * `stele.json` nor inside the linked one. The deploy could otherwise replace the linked site by accident.
 */
async function assertLinkApplies(session: Session, slug: string, argument: string | undefined): Promise<void> {
  const link = await session.link;
  if (!link) return;
  const project = dirname(link.file);
  const linked = resolveLinkedFolder(link);
  const named = argument === undefined || argument === '-' ? null : resolve(session.folder, argument);
  const isFine = named
    ? link.folder === undefined || named === linked
    : session.folder === project || isInside(session.folder, linked);
  if (isFine) return;
  throw new UsageError(
    `${link.file} links the site ${slug} to ${linked}, not to ${named ?? session.folder}. To deploy this folder anyway, add --site ${slug}.`,
    [
      {
        command: `stele deploy${argument === undefined ? ' .' : ''} --site ${slug}`,
        when: 'to replace the linked site',
      },
      { command: `cd ${quote(project)} && stele deploy`, when: 'to deploy the linked folder' },
    ],
  );
}

/**
 * Connects with the best credential. Without one, throws NotSignedInError if an anonymous deploy is probably not
 * intended: in CI, or for a site that was named or linked.
 */
async function connectForDeploy(
  session: Session,
  site: ChosenSite | null,
  { anonymous = false }: DeployOptions,
): Promise<Connection> {
  const connection = await session.connect({ site: site?.slug, anonymous });
  if (connection.source !== 'none') return connection;
  const isLinked = site?.source === 'stele.json';
  if (anonymous && isLinked)
    throw new UsageError(
      `This folder is linked to the site ${site.slug}, for which this machine has no edit token. Linking a new anonymous site would replace this link.`,
      [
        { command: 'stele deploy --anonymous --no-link', when: 'to create a new site and keep the link' },
        { command: 'stele unlink', when: 'to remove the link first' },
      ],
    );
  if (anonymous) return connection;
  const reason = explainNeed(session, site);
  if (!reason) return connection;
  throw new NotSignedInError(`${reason}, but there is no credential for ${connection.stele.instance}.`, [
    SIGN_IN,
    USE_TOKEN,
    {
      command: `stele deploy --anonymous${isLinked ? ' --no-link' : ''}`,
      when: 'to create a new site without an account',
    },
  ]);
}

/**
 * Throws UsageError if `--draft` or `--expires` does not apply to the site. The service would refuse such a draft only
 * after everything was sent, and cannot change when an existing site expires.
 */
async function assertOptionsApply(
  { signal }: Session,
  { stele }: Connection,
  site: ChosenSite | null,
  { create, draft, expires }: DeployOptions,
): Promise<void> {
  if (!draft && expires === undefined) return;
  const live = site && (await readSite(stele, site.slug, signal));
  if (site && !live && !create) throw new SiteMissingError(site.slug);
  if (draft && !live)
    throw new UsageError('--draft works only for an existing site. The first deploy of a new site always goes live.');
  if (expires !== undefined && (live || stele.credential?.kind === 'bearer'))
    throw new UsageError('--expires works only for a new anonymous site.');
}

function explainNeed({ isCi }: Session, site: ChosenSite | null): string | null {
  if (site?.source === 'stele.json') return `This folder is linked to the site ${site.slug}`;
  if (site) return `The site ${site.slug} was named`;
  return isCi ? 'This is a CI job' : null;
}

/** Formats a revision as an ETag, such as `"7"`. Users can leave out the quotation marks. */
function parseRevision(text: string): string {
  if (text === '*') return text;
  const revision = /^"?(\d+)"?$/.exec(text)?.[1];
  if (revision === undefined) throw new InvalidArgumentError('It must be a revision, such as 7, or * for any.');
  return `"${revision}"`;
}
