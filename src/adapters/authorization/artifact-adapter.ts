import { errors } from 'oidc-provider';
import {
  type ArtifactStore,
  type AuthorizedGrant,
  DEFAULT_SCOPES,
  type ProtocolGrantStore,
  type RegisteredClients,
} from '../../kernel/ports/outside/authorization-server.js';

type ArtifactPayload = Readonly<Record<string, unknown>>;

/**
 * The storage interface that the library expects, one instance per kind (`docs/README.md` of the package, "adapter").
 */
type Adapter = {
  find(id: string): Promise<ArtifactPayload | undefined>;
  upsert(id: string, payload: ArtifactPayload, seconds: number): Promise<void>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
  findByUid(uid: string): Promise<undefined>;
};

export type Storage = {
  readonly artifacts: ArtifactStore;
  readonly grants: ProtocolGrantStore;
  readonly clients: RegisteredClients;
};

/** Kinds that must survive from one request to the next. */
const KEPT = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction']);

/** Connects the library to our storage. `resources` are all spellings of the address that tokens are valid for. */
export const adapters = (storage: Storage, resources: readonly string[]) => (kind: string) => {
  if (kind === 'Grant') return grantAdapter(storage, resources);
  if (kind === 'Client') return clientAdapter(storage);
  // The library’s own sessions are not stored: instead, the person signed in on our pages is asked for consent.
  return KEPT.has(kind) ? artifactAdapter(kind, storage) : forgetful;
};

/** Kinds that are destroyed only by revocation. */
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
    // The URL ends in the id itself, of which only a hash is stored, so the id is cut off here and added back by
    // `find`.
    const payload = { ...given, ...(typeof returnTo === 'string' && { returnTo: returnTo.slice(0, -id.length) }) };
    const grantId = typeof given.grantId === 'string' ? given.grantId : null;
    const isKept = await artifacts.keep({ kind, id, payload, grantId, seconds });
    if (!isKept) throw new errors.InvalidGrant('the grant has expired or was revoked');
  },

  /**
   * Throws if the artifact was already used, even if the two uses happen at once in different processes. A second use
   * means that it was stolen, so its grant ends, with everything issued under it.
   */
  async consume(id) {
    if (await artifacts.use(kind, id)) return;
    const grantId = (await artifacts.find(kind, id))?.payload.grantId;
    if (typeof grantId === 'string') await grants.endGrant(grantId);
    throw new errors.InvalidGrant('already used');
  },

  /**
   * Does nothing for tokens: they end with their grant, which the library revokes next. If the token were gone before
   * that, and revoking the grant failed, a client that retries would be told that it had succeeded while the grant
   * lived on.
   */
  destroy: async (id) => (REVOKED.has(kind) ? undefined : artifacts.drop(kind, id)),
  revokeByGrantId: (grantId) => grants.endGrant(grantId),
});

/** Grants are written by the consent page. The library only reads them. */
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

/** The default scopes, in the form that a client sends them. */
export const DEFAULT_SCOPE = DEFAULT_SCOPES.join(' ');
