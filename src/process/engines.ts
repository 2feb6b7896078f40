import { hash, hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { NoIdentityProvider } from '../adapters/identity-provider/no-identity-provider.js';
import { OpenIdProvider } from '../adapters/identity-provider/open-id.engine.js';
import { NoMail, NoOutbox } from '../adapters/mail/no-mail.js';
import { OutboxMail } from '../adapters/mail/outbox.engine.js';
import { SmtpMail } from '../adapters/mail/smtp.engine.js';
import { DiskPacks } from '../blobs/disk.engine.js';
import { RedisProcesses } from '../cluster/redis-signal.js';
import { catalogue, isChained } from '../events/catalogue.js';
import { MemoryRateLimits } from '../http/limits/memory-rate-limits.engine.js';
import { NoRateLimits, type RateLimits } from '../http/limits/rate-limits.js';
import { RedisRateLimits } from '../http/limits/redis-rate-limits.engine.js';
import { NoOtherProcesses, type OtherProcesses } from '../kernel/ports/cluster-signal.js';
import type { IdentityProvider } from '../kernel/ports/identity-provider.js';
import type { Mail, Outbox } from '../kernel/ports/mail.js';
import { CALLBACK } from '../modules/identity/sign-in/identity-provider.js';
import type { Settings } from '../settings.js';
import type { KurrentEngine } from '../store/kurrent/kurrent.engine.js';
import { PostgresEngine } from '../store/postgres/postgres.engine.js';

/** The engines that are started and stopped with the process; everybody else knows their ports. */
export type EventEngines = PostgresEngine | KurrentEngine;
export type ContentEngine = DiskPacks;

export async function eventStoreOf({ eventStoreUrl: url }: Settings, pool: Pool): Promise<EventEngines> {
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url === null) return new PostgresEngine({ pool, ...recording });
  // Loaded for those who use it: its client takes a quarter of a second to load, and tens of MB.
  const { KurrentEngine } = await import('../store/kurrent/kurrent.engine.js');
  const log = new Logger('Event store');
  return new KurrentEngine({ url, say: (message) => log.warn(message), ...recording });
}

export const blobStoreOf = ({ dataFolder }: Settings, pool: Pool): ContentEngine =>
  new DiskPacks(join(dataFolder, 'packs'), pool);

export function otherProcessesOf({ redisUrl }: Settings, store: EventEngines): OtherProcesses {
  if (redisUrl === null) return new NoOtherProcesses();
  return new RedisProcesses(
    redisUrl,
    // EventStoreDB tells its subscribers itself.
    (position) => (store instanceof PostgresEngine ? store.reached(position) : undefined),
    (line) => new Logger('Redis').warn(line),
  );
}

/** Shared where there is a Redis to share them by; with one that is away each process has its own. */
export function rateLimitsOf(settings: Settings, rootKey: Buffer, others: OtherProcesses): RateLimits {
  if (!settings.rateLimits) return new NoRateLimits();
  const own = new MemoryRateLimits();
  if (!(others instanceof RedisProcesses)) return own;
  return new RedisRateLimits(others.client, Buffer.from(hkdfSync('sha256', rootKey, '', 'stele rates', 32)), own);
}

export function mailOf({ mail, mailFrom, dataFolder }: Settings): Mail {
  const log = new Logger('Mail');
  switch (mail.kind) {
    case 'smtp':
      return new SmtpMail(mail.url, mailFrom, (line) => log.warn(line));
    case 'outbox':
      return new OutboxMail(join(dataFolder, 'outbox'), mailFrom, (line) => log.warn(line));
    case 'none':
      return new NoMail();
  }
}

export const outboxOf = (mail: Mail): Outbox => (mail instanceof OutboxMail ? mail : new NoOutbox());

export function identityProviderOf({ identityProvider, baseUrl }: Settings): IdentityProvider {
  if (identityProvider === null) return new NoIdentityProvider();
  const log = new Logger('Identity provider');
  const redirectUri = `${baseUrl}${CALLBACK}`;
  return new OpenIdProvider({ ...identityProvider, redirectUri, warn: (line) => log.warn(line) });
}
