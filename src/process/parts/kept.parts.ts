import { Inject, Injectable } from '@nestjs/common';
import { BlobStore } from '../../blobs/blob-store.js';
import { joinContentFolder } from '../../blobs/content-folder.js';
import { AuditKeys } from '../../kernel/audit-keys.js';
import { Invites } from '../../kernel/invites.js';
import { MailedLinks } from '../../kernel/mailed-links.js';
import { People } from '../../kernel/people.js';
import { RunWriters } from '../../kernel/run-writers.js';
import { Sessions } from '../../kernel/sessions.js';
import { SignInAttempts } from '../../kernel/sign-in-attempts.js';
import { SitePasswords } from '../../kernel/site-passwords.js';
import { TerminalSignIns } from '../../kernel/terminal-sign-ins.js';
import { UsedTickets } from '../../kernel/used-tickets.js';
import { Vault } from '../../kernel/vault.js';
import { Waitlist } from '../../kernel/waitlist.js';
import { ScratchFolder } from '../../modules/sites/deploy/scratch-folder.js';
import type { AuditKeysTable } from '../../tables/audit-keys.js';
import type { InvitesTable } from '../../tables/invites.js';
import type { MailedLinksTable } from '../../tables/mailed-links.js';
import type { PeopleTable } from '../../tables/people.js';
import type { RunWritersTable } from '../../tables/run-writers.js';
import type { SessionsTable } from '../../tables/sessions.js';
import type { SignInAttemptsTable } from '../../tables/sign-in-attempts.js';
import type { SitePasswordsTable } from '../../tables/site-passwords.js';
import type { TerminalSignInsTable } from '../../tables/terminal-sign-ins.js';
import type { UsedTicketsTable } from '../../tables/used-tickets.js';
import type { VaultTable } from '../../tables/vault.js';
import type { WaitlistTable } from '../../tables/waitlist.js';
import type { Part } from '../../wiring/lifecycle.js';
import type { ContentEngine } from '../engines.js';
import { Surroundings } from '../surroundings.js';

/** What is kept beside the log: tables, and the content of sites. */
@Injectable()
export class KeptParts {
  constructor(
    @Inject(Surroundings) private readonly surroundings: Surroundings,
    @Inject(AuditKeys) private readonly auditKeys: AuditKeysTable,
    @Inject(Vault) private readonly vault: VaultTable,
    @Inject(Waitlist) private readonly waitlist: WaitlistTable,
    @Inject(People) private readonly people: PeopleTable,
    @Inject(Sessions) private readonly sessions: SessionsTable,
    @Inject(MailedLinks) private readonly links: MailedLinksTable,
    @Inject(Invites) private readonly invites: InvitesTable,
    @Inject(TerminalSignIns) private readonly terminals: TerminalSignInsTable,
    @Inject(SignInAttempts) private readonly attempts: SignInAttemptsTable,
    @Inject(SitePasswords) private readonly sitePasswords: SitePasswordsTable,
    @Inject(UsedTickets) private readonly usedTickets: UsedTicketsTable,
    @Inject(ScratchFolder) private readonly scratch: ScratchFolder,
    @Inject(RunWriters) private readonly runWriters: RunWritersTable,
    @Inject(BlobStore) private readonly blobs: ContentEngine,
  ) {}

  list(): Part[] {
    const { settings, pool } = this.surroundings;
    return [
      {
        name: 'the folder of the content',
        start: async () => {
          if (settings.databaseUrl !== null) await joinContentFolder(pool, settings.dataFolder);
        },
      },
      { name: 'audit keys', start: () => this.auditKeys.start() },
      { name: 'vault', start: () => this.vault.start() },
      { name: 'waitlist', start: () => this.waitlist.start() },
      { name: 'people', start: () => this.people.start() },
      { name: 'sessions', start: (signal) => this.sessions.start(signal) },
      { name: 'mailed links', start: (signal) => this.links.start(signal) },
      { name: 'invites', start: (signal) => this.invites.start(signal) },
      { name: 'terminal sign-ins', start: (signal) => this.terminals.start(signal) },
      { name: 'sign-ins under way', start: (signal) => this.attempts.start(signal) },
      { name: 'site passwords', start: () => this.sitePasswords.start() },
      { name: 'used tickets', start: (signal) => this.usedTickets.start(signal) },
      { name: 'what waits on disk', start: () => this.scratch.start() },
      { name: 'run writers', start: () => this.runWriters.start() },
      { name: 'content', start: () => this.blobs.start(), stop: () => this.blobs.stop() },
    ];
  }
}
