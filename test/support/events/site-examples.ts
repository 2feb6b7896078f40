import { SiteCreated, SiteDeployed, SiteRolledBack, SiteStaged } from '../../../src/events/site/site.events.js';
import type { Caller, CommandContext } from '../../../src/kernel/command-context.js';

export const digestOf = (start: string) => start.padEnd(64, '0');

export const ann: Caller = { editTokenHash: digestOf('a'), userId: null };
export const stranger: Caller = { editTokenHash: digestOf('b'), userId: null };
export const nobody: Caller = { editTokenHash: null, userId: null };
export const bob: Caller = { editTokenHash: null, userId: 'usr_bob' };

export const noon = '2026-11-20T12:00:00.000Z';
export const later = '2026-11-20T13:00:00.000Z';
export const by = (caller: Caller): CommandContext => ({ at: noon, caller });

export const created = SiteCreated({ slug: 'amber-otter', editTokenHash: digestOf('a') });

export const deployed = (number: number, replaced: string | null = null) =>
  SiteDeployed({
    deployId: `dep_${number}`,
    number,
    manifest: digestOf(`${number}`),
    files: number,
    bytes: number * 100,
    source: 'upload',
    jobId: null,
    commit: null,
    provenance: null,
    program: null,
    trusted: null,
    client: null,
    message: null,
    replaced,
  });

export const server = (number: number, replaced: string | null = null) =>
  SiteDeployed({ ...deployed(number, replaced).data, files: 0, program: { kind: 'next' } });

export const staged = (number: number) =>
  SiteStaged({
    deployId: `dep_${number}`,
    number,
    manifest: digestOf(`${number}`),
    files: number,
    bytes: number * 100,
    source: 'upload',
    jobId: null,
    commit: null,
    provenance: null,
    program: null,
    trusted: null,
    client: null,
    message: null,
  });

export const rolledBack = (to: number, replaced: number) =>
  SiteRolledBack({
    deployId: `dep_${to}`,
    number: to,
    manifest: digestOf(`${to}`),
    program: null,
    replaced: `dep_${replaced}`,
    rollbackId: `rbk_${to}_${replaced}`,
    trusted: false,
  });
