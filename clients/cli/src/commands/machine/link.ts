import { dirname, relative } from 'node:path';
import { read } from 'stele-api/client';
import { type CommandDefinition } from '../../command-line/command.js';
import { RefusedError } from '../../command-line/errors.js';
import { assertConfirmed } from '../../output/questions.js';
import { findLinkFile, removeLink, toLinkPath, writeLink } from '../../project/stele-json.js';

export const link: CommandDefinition = {
  usage: 'link <site>',
  summary: 'link this folder to a site (writes stele.json)',
  examples: [
    ['stele link my-site', 'deploys from this folder go to my-site from now on'],
    ['stele link my-site --folder build', 'also sets the folder that is deployed'],
  ],
  configure: (command) => command.option('--folder <path>', 'the folder or file to deploy'),
  run: async (session, [name = ''], { folder }: { folder?: string }) => {
    const { stele } = await session.connect({ site: name });
    const { slug, url } = await read(stele.api.GET('/v1/sites/{slug}', { params: { path: { slug: name } } }));
    const found = await session.link;
    const place = found ? dirname(found.file) : session.folder;
    const path = folder === undefined ? {} : { folder: toLinkPath(place, folder) };
    const file = await writeLink(place, { instance: stele.instance, site: slug, ...path });
    const shown = relative(session.folder, file);
    session.output.result({
      json: { site: slug, instance: stele.instance, file, ...path },
      quiet: url,
      text: `Linked to the site ${slug} on ${stele.instance} in ${shown}. The file contains no secret, so commit it.`,
    });
  },
};

export const unlink: CommandDefinition = {
  usage: 'unlink',
  summary: 'unlink this folder from its site (removes stele.json)',
  examples: [
    ['stele unlink', 'removes stele.json, and does not change the site'],
    ['stele unlink --json', 'returns the path of the removed file as JSON'],
  ],
  run: async (session) => {
    const file = await findLinkFile(session.folder);
    if (!file) throw new RefusedError('This folder is not linked to a site.', 'not_linked');
    const found = await session.link.catch(async ({ message }: Error) => {
      await assertConfirmed(session, `${message} Remove it?`);
      return null;
    });
    await removeLink(file);
    const site = found?.site ?? null;
    session.output.result({
      json: { site, file },
      quiet: '',
      text: `Removed ${relative(session.folder, file)}.`,
    });
  },
};
