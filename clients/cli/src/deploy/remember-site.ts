import { dirname, resolve } from 'node:path';
import type { Schemas, Stele } from 'stele-api/client';
import { isInside } from 'stele-api/deploy/is-inside';
import { describeFailure } from '../command-line/failure.js';
import type { Session } from '../command-line/session.js';
import { toLinkPath, writeLink } from '../project/stele-json.js';
import type { DeploySource } from './source.js';

/**
 * Stores the edit token of a new anonymous site before anything else can fail, because the service shows the token only
 * once. If the token cannot be stored, prints the address with which the site can be claimed.
 */
export async function keepEditToken(
  session: Session,
  instance: string,
  { slug, editToken, claimUrl }: Pick<Schemas['DeployResult'], 'slug' | 'editToken' | 'claimUrl'>,
): Promise<void> {
  if (!editToken) return;
  const { output, credentialsFile } = session;
  try {
    await credentialsFile.keepEditToken(instance, slug, editToken);
  } catch (error) {
    session.isTokenLost = true;
    const { detail } = describeFailure(error).problem;
    output.warn(`The edit token of the site could not be stored in ${credentialsFile.path}. ${detail}`);
    process.stderr.write(`Keep this address, because it is the only way to claim the site: ${claimUrl ?? editToken}\n`);
  }
}

type NewSite = { readonly stele: Stele; readonly slug: string; readonly source: DeploySource };

/**
 * Links the folder to a new site in stele.json, and returns the path of that file. Returns null if no link was written:
 * in CI, if the folder is already linked to a site, if the deployed files are outside the folder, if the edit token was
 * lost, or if writing the file failed.
 */
export async function linkFolder(session: Session, { stele, slug, source }: NewSite): Promise<string | null> {
  const link = await session.link;
  if (session.isCi || session.isTokenLost || link?.site || source.path === null) return null;
  const folder = link ? dirname(link.file) : session.folder;
  const published = resolve(session.folder, source.path);
  if (!isInside(published, folder)) return null;
  try {
    return await writeLink(folder, { instance: stele.instance, site: slug, folder: toLinkPath(folder, published) });
  } catch (error) {
    session.output.warn(
      `stele.json could not be written, so add --site ${slug} next time. ${describeFailure(error).problem.detail}`,
    );
    return null;
  }
}
