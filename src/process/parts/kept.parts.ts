import { Inject, Injectable } from '@nestjs/common';
import { BlobStore } from '../../blobs/blob-store.js';
import { joinContentFolder } from '../../blobs/content-folder.js';
import { AuditKeys } from '../../kernel/ports/audit-keys.js';
import { Invites } from '../../kernel/ports/invites.js';
import { MailedLinks } from '../../kernel/ports/mailed-links.js';
import { People } from '../../kernel/ports/people.js';
import { RunWriters } from '../../kernel/ports/run-writers.js';
import { Sessions } from '../../kernel/ports/sessions.js';
import { SignInAttempts } from '../../kernel/ports/sign-in-attempts.js';
import { SitePasswords } from '../../kernel/ports/site-passwords.js';
import { TerminalSignIns } from '../../kernel/ports/terminal-sign-ins.js';
import { UsedTickets } from '../../kernel/ports/used-tickets.js';
import { Vault } from '../../kernel/ports/vault.js';
import { Waitlist } from '../../kernel/ports/waitlist.js';
import type { AuditKeysTable } from '../../tables/keys/audit-keys.js';
import type { InvitesTable } from '../../tables/people/invites.js';
import type { MailedLinksTable } from '../../tables/people/mailed-links.js';
import type { PeopleTable } from '../../tables/people/people.js';
import type { SessionsTable } from '../../tables/people/sessions.js';
import type { SignInAttemptsTable } from '../../tables/people/sign-in-attempts.js';
import type { TerminalSignInsTable } from '../../tables/people/terminal-sign-ins.js';
import type { UsedTicketsTable } from '../../tables/people/used-tickets.js';
import type { WaitlistTable } from '../../tables/people/waitlist.js';
import type { RunWritersTable } from '../../tables/run-writers.js';
import type { SitePasswordsTable } from '../../tables/site-passwords.js';
import type { VaultTable } from '../../tables/vault.js';
import { ScratchFolder } from '../../uploads/spool/spool-folder.js';
import type { ContentEngine } from '../engines.js';
import type { Part } from '../nest/lifecycle.js';
import { Surroundings } from '../process-context.js';

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
