import { dirname, resolve } from 'node:path';
import type { Schemas, Stele } from 'stele-api/client';
import type { Session } from '../command-line/session.js';
import { toLinkPath, writeLink } from '../project/stele-json.js';
import type { DeploySource } from './source.js';

/**
 * Stores the edit token of a new site without an owner, before anything else can fail. It cannot be read again, so it is
 * shown if it cannot be stored.
 */
export async function keepEditToken(
  { output, credentialsFile }: Session,
  instance: string,
  { slug, editToken, claimUrl }: Schemas['DeployResult'],
): Promise<void> {
  if (!editToken) return;
  try {
    await credentialsFile.keepEditToken(instance, slug, editToken);
  } catch (error) {
    const reason = (error as Error).message;
    output.warn(`The edit token of the site could not be stored in ${credentialsFile.path}: ${reason}`);
    process.stderr.write(`Keep this address, which is the only way to own the site: ${claimUrl ?? editToken}\n`);
  }
}

type NewSite = { readonly stele: Stele; readonly slug: string; readonly source: DeploySource };

/** Writes the site into stele.json, and returns its path. A folder that is linked to another site stays linked. */
export async function linkFolder(session: Session, { stele, slug, source }: NewSite): Promise<string | null> {
  const link = await session.link;
  if (session.isCi || link?.site || source.path === null) return null;
  const folder = link ? dirname(link.file) : session.folder;
  const path = toLinkPath(folder, resolve(session.folder, source.path));
  if (path.startsWith('..')) return null;
  try {
    return await writeLink(folder, { instance: stele.instance, site: slug, folder: path });
  } catch (error) {
    session.output.warn(`stele.json could not be written, so name the site next time: ${(error as Error).message}`);
    return null;
  }
}
