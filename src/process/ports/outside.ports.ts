import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { GitRepositories } from '../../adapters/git/git-repositories.js';
import { BlobStore } from '../../blobs/blob-store.js';
import { IdentityProvider } from '../../kernel/ports/identity-provider.js';
import { Mail, Outbox } from '../../kernel/ports/mail.js';
import { Repositories } from '../../kernel/ports/repositories.js';
import { ScratchFolder } from '../../uploads/spool/spool-folder.js';
import { blobStoreOf, identityProviderOf, mailOf, outboxOf } from '../engines.js';
import type { Surroundings } from '../process-context.js';

/** Disk, mail, repositories, and whoever else says who somebody is. */
export function outsidePorts({ settings, pool }: Surroundings) {
  const mail = mailOf(settings);
  return [
    { provide: BlobStore, useFactory: () => blobStoreOf(settings, pool) },
    { provide: ScratchFolder, useValue: new ScratchFolder(join(settings.dataFolder, 'incoming')) },
    { provide: Mail, useValue: mail },
    { provide: Outbox, useValue: outboxOf(mail) },
    { provide: IdentityProvider, useValue: identityProviderOf(settings) },
    {
      provide: Repositories,
      useFactory: () => new GitRepositories(join(settings.dataFolder, 'copies'), settings.repoHosts, addressesOf),
    },
  ];
}

/** As the system resolves names, its own file of hosts included. */
const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);
