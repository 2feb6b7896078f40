import { resolve } from 'node:path';
import { z } from 'zod';
import type { StreamRetention } from './kernel/ports/stream-retention.js';
import { type ProcessRole, ROLES } from './process/nest/roles.js';
import {
  type BuildSettings,
  buildEnvironment,
  buildSettingsIn,
  type JobSettings,
  jobSettingsIn,
} from './settings.builds.js';
import { type AnonymousExpiry, anonymousExpiryIn, deployEnvironment, deployLimitsIn } from './settings.deploys.js';
import { type DomainSettings, domainEnvironment, domainSettingsIn } from './settings.domains.js';
import { SettingsFault } from './settings.fault.js';
import {
  address,
  contact,
  duration,
  eventStoreAddress,
  hosts,
  isLoopback,
  masterKey,
  origin,
  proxies,
  roles,
} from './settings.forms.js';
import {
  type GenerationSettings,
  generationEnvironment,
  generationFault,
  generationSettingsIn,
} from './settings.generation.js';
import { type IdentityProviderSettings, identityProviderEnvironment, identityProviderIn } from './settings.identity.js';
import { type ServerSettings, serverEnvironment, serverSettingsIn } from './settings.servers.js';
import { type StatusSettings, statusEnvironment, statusSettingsIn } from './settings.status.js';
import { type TrafficSettings, trafficEnvironment, trafficSettingsIn } from './settings.traffic.js';
import type { DeployLimits } from './uploads/deploy-limits.js';

const Environment = z.object({
  STELE_ROLES: roles.default(new Set(ROLES)),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  STELE_DATA: z.string().min(1).default('./.stele'),
  STELE_BASE_URL: origin.optional(),
  STELE_SITE_DOMAIN: z
    .string()
    .regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'a host name, with a port where it is not the usual one')
    .optional(),
  STELE_MCP_URL: address
    .refine(
      (text) => (URL.parse(text)?.pathname ?? '/') !== '/',
      'an address with a path of its own, such as https://stele.example.org/mcp',
    )
    .optional(),
  STELE_STATUS_URL: address.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'an address such as postgres://user:password@host:5432/stele')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/\S+$/, 'an address such as redis://:password@host:6379/0')
    .optional(),
  EVENTSTORE_URL: eventStoreAddress.optional(),
  STELE_RATE_LIMITS: z.enum(['on', 'off']).optional(),
  STELE_TRUSTED_PROXIES: proxies.default([]),
  STELE_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, '16 characters or more, without blanks')
    .optional(),
  STELE_SECURITY_CONTACT: contact.optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'an address such as smtp://user:password@mail.example.org:587')
    .optional(),
  STELE_MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, 'an address such as Stele <stele@example.org>')
    .optional(),
  STELE_SECRET_KEY: masterKey.optional(),
  STELE_SECRET_KEY_NEXT: masterKey.optional(),
  STELE_REPO_HOSTS: hosts.default([]),
  STELE_CONNECTOR_LEASE_SECONDS: z.coerce.number().min(0.5).max(3_600).default(60),
  STELE_STREAMS_KEPT: duration.prefault('30d'),
  ...deployEnvironment,
  ...buildEnvironment,
  ...identityProviderEnvironment,
  ...domainEnvironment,
  ...generationEnvironment,
  ...trafficEnvironment,
  ...statusEnvironment,
  ...serverEnvironment,
  /** Read before the others, by `setLogForm`. */
  STELE_LOG: z.enum(['text', 'json']).optional(),
});

/**
 * Settings whose part is not built yet (docs/interface/operator.md, "Settings that change what clients see"): setting
 * one would promise what is not there.
 */
const planned = ['STELE_BLOBS'];

/** How work is handed to the agents of connectors. */
export abstract class ConnectorSettings {
  /** How long an agent that says nothing keeps its work. */
  abstract readonly leaseMs: number;
}

/** The contact for reports of a weakness in this service. */
export abstract class SecurityContact {
  /** `mailto:`, `https:` or `tel:`; the page for agents where the operator names none. */
  abstract readonly uri: string;
}

/** Which store the events live in. */
export abstract class EventEngine {
  abstract readonly name: 'postgresql' | 'kurrentdb';
}

/** The environment, read once. Addresses have no slash at their end. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  /** What this process does; others on the same database do the rest. */
  readonly roles: ReadonlySet<ProcessRole>;
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  readonly databaseUrl: string | null;
  /** Of a Redis that all processes of the installation share; null without one. */
  readonly redisUrl: string | null;
  /** Where events live in EventStoreDB or KurrentDB; null for the database. */
  readonly eventStoreUrl: string | null;
  /** {base_url}: links are built from it, never from a request's Host. */
  readonly baseUrl: string;
  /** {site_domain}, with its port. */
  readonly siteDomain: string;
  readonly mcpUrl: string;
  readonly statusUrl: string;
  readonly anonymousLimits: DeployLimits;
  readonly signedInLimits: DeployLimits;
  readonly rateLimits: boolean;
  /** Addresses and CIDR ranges whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
  /** The operator’s bearer. */
  readonly adminToken: string | null;
  readonly securityContact: SecurityContact;
  /** How mail goes out: by a mail server, into the outbox of a developer's machine, or not at all. */
  readonly mail: { readonly kind: 'smtp'; readonly url: string } | { readonly kind: 'outbox' | 'none' };
  readonly mailFrom: string;
  readonly identityProvider: IdentityProviderSettings | null;
  /** The master key, 32 bytes; null for the one that the data folder keeps. */
  readonly secretKey: Buffer | null;
  /** The master key that is to replace it: only the command that changes the key needs it. */
  readonly nextSecretKey: Buffer | null;
  /** `host:port`, an IPv6 address without brackets: repositories may be there though it is private, or plain http. */
  readonly repoHosts: ReadonlySet<string>;
  readonly jobs: JobSettings;
  readonly builds: BuildSettings;
  readonly domains: DomainSettings;
  readonly generation: GenerationSettings;
  readonly traffic: TrafficSettings;
  readonly status: StatusSettings;
  readonly servers: ServerSettings;
  readonly streamRetention: StreamRetention;
  readonly connector: ConnectorSettings;
  readonly anonymousExpiry: AnonymousExpiry;
};

/** Throws `SettingsFault`, whose message names every setting that is wrong. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const early = planned.filter((name) => name in given);
  if (early.length > 0)
    throw new SettingsFault(`${early.join(', ')}: this part of Stele is not built yet. Unset it to start.`);

  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    throw new SettingsFault(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const env = parsed.data;
  if (env.STELE_ROLES.size < ROLES.length && env.DATABASE_URL === undefined) {
    throw new SettingsFault(
      'STELE_ROLES: the embedded database is for one process, which does everything. Set DATABASE_URL to share the work between several.',
    );
  }
  const unfit = generationFault(env);
  if (unfit !== null) throw new SettingsFault(unfit);
  const baseUrl = env.STELE_BASE_URL ?? `http://localhost:${env.PORT}`;
  return {
    port: env.PORT,
    host: env.HOST,
    roles: env.STELE_ROLES,
    dataFolder: resolve(env.STELE_DATA),
    databaseUrl: env.DATABASE_URL ?? null,
    redisUrl: env.REDIS_URL ?? null,
    eventStoreUrl: env.EVENTSTORE_URL ?? null,
    baseUrl,
    siteDomain: env.STELE_SITE_DOMAIN ?? `localhost:${env.PORT}`,
    mcpUrl: env.STELE_MCP_URL ?? `${baseUrl}/mcp`,
    statusUrl: env.STELE_STATUS_URL ?? `${baseUrl}/status`,
    ...deployLimitsIn(env),
    rateLimits: env.STELE_RATE_LIMITS ? env.STELE_RATE_LIMITS === 'on' : !isLoopback(baseUrl),
    trustedProxies: env.STELE_TRUSTED_PROXIES,
    adminToken: env.STELE_ADMIN_TOKEN ?? null,
    securityContact: { uri: env.STELE_SECURITY_CONTACT ?? `${baseUrl}/llms.txt` },
    mail: env.SMTP_URL ? { kind: 'smtp', url: env.SMTP_URL } : { kind: isLoopback(baseUrl) ? 'outbox' : 'none' },
    mailFrom: env.STELE_MAIL_FROM ?? `Stele <stele@${new URL(baseUrl).hostname.replace(/^\[.*\]$/, 'localhost')}>`,
    identityProvider: identityProviderIn(env),
    secretKey: env.STELE_SECRET_KEY ?? null,
    nextSecretKey: env.STELE_SECRET_KEY_NEXT ?? null,
    repoHosts: new Set(env.STELE_REPO_HOSTS.map((host) => host.replace(/^\[(.*)\]/, '$1'))),
    jobs: jobSettingsIn(env),
    builds: buildSettingsIn(env, isLoopback(baseUrl)),
    domains: domainSettingsIn(env),
    generation: generationSettingsIn(env),
    traffic: trafficSettingsIn(env),
    status: statusSettingsIn(env, { host: env.HOST, port: env.PORT, servesSites: env.STELE_ROLES.has('serve') }),
    servers: serverSettingsIn(env, { host: env.HOST, hasPeers: env.DATABASE_URL !== undefined }),
    connector: { leaseMs: env.STELE_CONNECTOR_LEASE_SECONDS * 1_000 },
    anonymousExpiry: anonymousExpiryIn(env),
    streamRetention: { ms: env.STELE_STREAMS_KEPT, lookEveryMs: Math.min(env.STELE_STREAMS_KEPT, 3_600_000) },
  };
}
