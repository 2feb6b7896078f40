import { resolve } from 'node:path';
import { z } from 'zod';
import type { DeployLimits } from '../content/uploads/deploy-limits.js';
import type { StreamRetention } from '../kernel/ports/stream-retention.js';
import { type ProcessRole, ROLES } from '../nest/roles.js';
import {
  type BuildSettings,
  buildEnvironment,
  type JobSettings,
  readBuildSettings,
  readJobSettings,
} from './build-settings.js';
import { describeSetting, type SettingGroup } from './declaration.js';
import {
  type AnonymousExpiry,
  deployEnvironment,
  readAnonymousExpiry,
  readDeployLimits,
  readStorageShares,
  type StorageShares,
} from './deploy-settings.js';
import { type DomainSettings, domainEnvironment, readDomainSettings } from './domain-settings.js';
import { isLoopback } from './forms.js';
import {
  type GenerationSettings,
  generationEnvironment,
  generationFault,
  readGenerationSettings,
} from './generation-settings.js';
import {
  type IdentityProviderSettings,
  identityProviderEnvironment,
  readIdentityProviderSettings,
} from './identity-settings.js';
import { accessEnvironment, mailEnvironment, processEnvironment, storageEnvironment } from './process-settings.js';
import { readServerSettings, type ServerSettings, serverEnvironment } from './server-settings.js';
import { SettingsError } from './settings-fault.js';
import { readStatusSettings, type StatusSettings, statusEnvironment } from './status-settings.js';
import { readTrafficSettings, type TrafficSettings, trafficEnvironment } from './traffic-settings.js';

/** All settings, in the order of docs/settings.md. `npm run settings` generates that document from this list. */
export const settingGroups: readonly SettingGroup[] = [
  { title: 'Process and URLs', settings: processEnvironment },
  { title: 'Storage', settings: storageEnvironment },
  { title: 'Access and rate limits', settings: accessEnvironment },
  { title: 'Mail', settings: mailEnvironment },
  { title: 'Identity provider', settings: identityProviderEnvironment },
  { title: 'Deploys', settings: deployEnvironment },
  { title: 'Repositories and builds', settings: buildEnvironment },
  { title: 'Servers', settings: serverEnvironment },
  { title: 'Custom domains', settings: domainEnvironment },
  { title: 'Page generation', settings: generationEnvironment },
  { title: 'Traffic and retention', settings: trafficEnvironment },
  { title: 'Status page', settings: statusEnvironment },
];

export const Environment = z.object({
  ...processEnvironment,
  ...storageEnvironment,
  ...accessEnvironment,
  ...mailEnvironment,
  ...identityProviderEnvironment,
  ...deployEnvironment,
  ...buildEnvironment,
  ...serverEnvironment,
  ...domainEnvironment,
  ...generationEnvironment,
  ...trafficEnvironment,
  ...statusEnvironment,
});

/**
 * Settings for features that do not exist yet (docs/interface/operator.md, "Settings that change what clients see").
 * The service does not start if one of them is set.
 */
const planned = ['STELE_BLOBS'];

export abstract class ConnectorSettings {
  /** Maximum time for which an agent can keep a piece of work without sending a result. */
  abstract readonly leaseMs: number;
}

export abstract class SecurityContact {
  /** A `mailto:`, `https:` or `tel:` URL. Defaults to the URL of /llms.txt. */
  abstract readonly uri: string;
}

export abstract class EventEngine {
  abstract readonly name: 'postgresql' | 'kurrentdb';
}

/** The settings from the environment, which is read once. URLs have no trailing slash. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  /** Roles of this process. Other processes on the same database have the remaining roles. */
  readonly roles: ReadonlySet<ProcessRole>;
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** Bytes to leave free in the file system of the data folder. The default depends on the file system's size. */
  readonly diskReserve: number | null;
  readonly databaseUrl: string | null;
  /** The Redis server shared by all processes of the service. */
  readonly redisUrl: string | null;
  /** The EventStoreDB or KurrentDB that stores the events, or null if PostgreSQL stores them. */
  readonly eventStoreUrl: string | null;
  /** Public URL of the service ({base_url}). All links are built from it, never from the Host header of a request. */
  readonly baseUrl: string;
  /** Domain under which sites have their own hosts ({site_domain}), including its port. */
  readonly siteDomain: string;
  /** Whether to use the hand-written HTTP server in `edge/fast`. */
  readonly fastPath: boolean;
  /** Names of startup warnings that the operator has acknowledged. They are not shown. */
  readonly acknowledged: ReadonlySet<string>;
  readonly mcpUrl: string;
  readonly statusUrl: string;
  readonly anonymousLimits: DeployLimits;
  readonly signedInLimits: DeployLimits;
  readonly rateLimits: boolean;
  /** IP addresses and CIDR ranges whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly adminToken: string | null;
  readonly securityContact: SecurityContact;
  /** How mail is delivered. `outbox` stores mail on a developer's machine. */
  readonly mail: { readonly kind: 'smtp'; readonly url: string } | { readonly kind: 'outbox' | 'none' };
  readonly mailFrom: string;
  readonly identityProvider: IdentityProviderSettings | null;
  /** The 32-byte master key, or null to use the one in the data folder. */
  readonly secretKey: Buffer | null;
  /** The next master key. Used only by the command that rotates the key. */
  readonly nextSecretKey: Buffer | null;
  /**
   * Hosts of repositories that may have private addresses or use plain http, as `host:port`, without brackets around
   * IPv6 addresses.
   */
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
  readonly storageShares: StorageShares;
};

/**
 * Describes an invalid setting. The returned text continues a sentence that begins with the setting’s name. It never
 * contains the value, which might be a secret.
 */
function describeIssue({ path: [name], code, message }: z.core.$ZodIssue): string {
  const schema: z.ZodType | undefined = Object.entries(Environment.shape).find(([each]) => each === name)?.[1];
  const isSpecific = code === 'custom' && name === 'EVENTSTORE_URL';
  return `${String(name)} ${isSpecific || !schema ? message : `must be ${describeSetting(schema).form}`}.`;
}

/** Reads all settings. Throws `SettingsError`, whose message names every invalid setting. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const early = planned.filter((name) => name in given);
  if (early.length > 0)
    throw new SettingsError(`Stele does not support ${early.join(', ')} yet. Unset it and start again.`);

  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    throw new SettingsError([...new Set(parsed.error.issues.map(describeIssue))].join('\n'));
  }
  const env = parsed.data;
  if (env.STELE_ROLES.size < ROLES.length && env.DATABASE_URL === undefined) {
    throw new SettingsError(
      'STELE_ROLES must include all roles while the embedded database is used, because only one process can open it. To divide the work between several processes, set DATABASE_URL.',
    );
  }
  const unfit = generationFault(env);
  if (unfit !== null) throw new SettingsError(unfit);
  const baseUrl = env.STELE_BASE_URL ?? `http://localhost:${env.PORT}`;
  return {
    port: env.PORT,
    host: env.HOST,
    roles: env.STELE_ROLES,
    dataFolder: resolve(env.STELE_DATA),
    diskReserve: env.STELE_DISK_RESERVE ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    redisUrl: env.REDIS_URL ?? null,
    eventStoreUrl: env.EVENTSTORE_URL ?? null,
    baseUrl,
    siteDomain: env.STELE_SITE_DOMAIN ?? `localhost:${env.PORT}`,
    fastPath: env.STELE_FAST_PATH === 'on',
    acknowledged: env.STELE_ACKNOWLEDGE,
    mcpUrl: env.STELE_MCP_URL ?? `${baseUrl}/mcp`,
    statusUrl: env.STELE_STATUS_URL ?? `${baseUrl}/status`,
    ...readDeployLimits(env),
    rateLimits: env.STELE_RATE_LIMITS ? env.STELE_RATE_LIMITS === 'on' : !isLoopback(baseUrl),
    trustedProxies: env.STELE_TRUSTED_PROXIES,
    adminToken: env.STELE_ADMIN_TOKEN ?? null,
    securityContact: { uri: env.STELE_SECURITY_CONTACT ?? `${baseUrl}/llms.txt` },
    mail: env.SMTP_URL ? { kind: 'smtp', url: env.SMTP_URL } : { kind: isLoopback(baseUrl) ? 'outbox' : 'none' },
    mailFrom: env.STELE_MAIL_FROM ?? `Stele <stele@${new URL(baseUrl).hostname.replace(/^\[.*\]$/, 'localhost')}>`,
    identityProvider: readIdentityProviderSettings(env),
    secretKey: env.STELE_SECRET_KEY ?? null,
    nextSecretKey: env.STELE_SECRET_KEY_NEXT ?? null,
    repoHosts: new Set(env.STELE_REPO_HOSTS.map((host) => host.replace(/^\[(.*)\]/, '$1'))),
    jobs: readJobSettings(env),
    builds: readBuildSettings(env, isLoopback(baseUrl)),
    domains: readDomainSettings(env),
    generation: readGenerationSettings(env),
    traffic: readTrafficSettings(env),
    status: readStatusSettings(env, { host: env.HOST, port: env.PORT, servesSites: env.STELE_ROLES.has('serve') }),
    servers: readServerSettings(env, { host: env.HOST, hasPeers: env.DATABASE_URL !== undefined }),
    connector: { leaseMs: env.STELE_CONNECTOR_LEASE_SECONDS * 1_000 },
    anonymousExpiry: readAnonymousExpiry(env, isLoopback(baseUrl)),
    storageShares: readStorageShares(env, isLoopback(baseUrl)),
    streamRetention: { ms: env.STELE_STREAMS_KEPT, lookEveryMs: Math.min(env.STELE_STREAMS_KEPT, 3_600_000) },
  };
}
