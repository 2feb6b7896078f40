import { errors } from 'oidc-provider';
import {
  type Artifacts,
  type AuthorizedGrant,
  type AuthorizedGrants,
  DEFAULT_SCOPES,
  type RegisteredClients,
} from '../../kernel/ports/outside/authorization-server.js';

type ArtifactPayload = Readonly<Record<string, unknown>>;

/** What the library keeps things with, one for each kind (`docs/README.md`, "adapter" of the package). */
type Adapter = {
  find(id: string): Promise<ArtifactPayload | undefined>;
  upsert(id: string, payload: ArtifactPayload, seconds: number): Promise<void>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
  findByUid(uid: string): Promise<undefined>;
};

export type Storage = {
  readonly artifacts: Artifacts;
  readonly grants: AuthorizedGrants;
  readonly clients: RegisteredClients;
};

/** Kinds of which something is kept between two requests. */
const KEPT = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction']);

/** Puts the library’s storage on ours. `resources` are the ways to write the address that tokens are for. */
export const adapters = (storage: Storage, resources: readonly string[]) => (kind: string) => {
  if (kind === 'Grant') return grantAdapter(storage, resources);
  if (kind === 'Client') return clientAdapter(storage);
  // The library’s own sessions are not kept: consent is asked of the person who is signed in on our pages then.
  return KEPT.has(kind) ? artifactAdapter(kind, storage) : forgetful;
};

/** Kinds that are destroyed by being revoked, and by nothing else. */
const REVOKED = new Set(['AccessToken', 'RefreshToken']);

const forgetful: Adapter = {
  find: async () => undefined,
  upsert: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
  findByUid: async () => undefined,
};

const artifactAdapter = (kind: string, { artifacts, grants }: Storage): Adapter => ({
  ...forgetful,

  async find(id) {
    const found = await artifacts.find(kind, id);
    if (!found) return undefined;
    const { returnTo } = found.payload;
    return {
      ...found.payload,
      jti: id,
      ...(typeof returnTo === 'string' && { returnTo: returnTo + id }),
      ...(found.used && { consumed: true }),
    };
  },

  async upsert(id, { jti: _, ...given }, seconds) {
    const { returnTo } = given;
    // It ends in the id itself, of which a hash alone is kept.
    const payload = { ...given, ...(typeof returnTo === 'string' && { returnTo: returnTo.slice(0, -id.length) }) };
    const grantId = typeof given.grantId === 'string' ? given.grantId : null;
    const isKept = await artifacts.keep({ kind, id, payload, grantId, seconds });
    if (!isKept) throw new errors.InvalidGrant('the grant has expired or was revoked');
  },

  /** Used a second time, also at the same moment on another process, it was stolen: then all that came of it ends. */
  async consume(id) {
    if (await artifacts.use(kind, id)) return;
    const grantId = (await artifacts.find(kind, id))?.payload.grantId;
    if (typeof grantId === 'string') await grants.endGrant(grantId);
    throw new errors.InvalidGrant('already used');
  },

  /**
   * Tokens go with their grant, which the library ends next: were they gone before it, a client that tries again to
   * revoke one would be told that this was done, and the grant would go on.
   */
  destroy: async (id) => (REVOKED.has(kind) ? undefined : artifacts.drop(kind, id)),
  revokeByGrantId: (grantId) => grants.endGrant(grantId),
});

/** Grants are kept by the page of consent, and only read here. */
const grantAdapter = ({ grants }: Storage, resources: readonly string[]): Adapter => ({
  ...forgetful,

  async find(id) {
    const grant = await grants.authorized(id);
    return grant ? payloadOf(id, grant, resources) : undefined;
  },

  destroy: (id) => grants.endGrant(id),
  revokeByGrantId: (id) => grants.endGrant(id),
});

const payloadOf = (jti: string, grant: AuthorizedGrant, resources: readonly string[]): ArtifactPayload => ({
  jti,
  kind: 'Grant',
  iat: grant.createdAt,
  exp: grant.expiresAt,
  accountId: grant.userId,
  clientId: grant.clientId,
  resources: Object.fromEntries(resources.map((resource) => [resource, grant.scopes.join(' ')])),
});

const clientAdapter = ({ clients }: Storage): Adapter => ({
  ...forgetful,
  find: async (id) => (await clients.findClient(id)) ?? undefined,
  upsert: (id, metadata) => clients.register(id, metadata),
});

/** The default, as a client would ask for it. */
export const DEFAULT_SCOPE = DEFAULT_SCOPES.join(' ');
