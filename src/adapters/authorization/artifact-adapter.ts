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
 * The storage interface that `oidc-provider` expects, with one instance per kind of artifact (`docs/README.md` of the
 * package, "adapter").
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

/** Kinds of OAuth artifacts that must be stored between requests. */
const KEPT = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction']);

/**
 * Returns the adapter for a kind of artifact. `resources` contains all spellings of the only URL that tokens are valid
 * for.
 */
export const adapters = (storage: Storage, resources: readonly string[]) => (kind: string) => {
  if (kind === 'Grant') return grantAdapter(storage, resources);
  if (kind === 'Client') return clientAdapter(storage);
  // The sessions of `oidc-provider` are not stored: consent is requested from the user who is signed in on our own
  // pages.
  return KEPT.has(kind) ? artifactAdapter(kind, storage) : forgetful;
};

/** Artifacts of these kinds are destroyed only when they are revoked. */
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
    // `returnTo` is a URL that ends in the artifact’s ID. Only a hash of the ID may be stored, so the ID is removed
    // here, and `find` adds it again.
    const payload = { ...given, ...(typeof returnTo === 'string' && { returnTo: returnTo.slice(0, -id.length) }) };
    const grantId = typeof given.grantId === 'string' ? given.grantId : null;
    const isKept = await artifacts.keep({ kind, id, payload, grantId, seconds });
    if (!isKept) throw new errors.InvalidGrant('the grant has expired or was revoked');
  },

  /**
   * Marks an artifact as used. Throws if it was already used, even by another process at the same time. A second use
   * means that the artifact was stolen, so its grant is ended with everything issued for it.
   */
  async consume(id) {
    if (await artifacts.use(kind, id)) return;
    const grantId = (await artifacts.find(kind, id))?.payload.grantId;
    if (typeof grantId === 'string') await grants.endGrant(grantId);
    throw new errors.InvalidGrant('already used');
  },

  /**
   * Does not delete access and refresh tokens: `oidc-provider` revokes their grant next, which ends the tokens. If the
   * token were deleted first and revoking the grant failed, a retry would report success although the grant still
   * existed.
   */
  destroy: async (id) => (REVOKED.has(kind) ? undefined : artifacts.drop(kind, id)),
  revokeByGrantId: (grantId) => grants.endGrant(grantId),
});

/** Reads grants for `oidc-provider`. Never writes them, because the consent page has already stored them. */
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

export const DEFAULT_SCOPE = DEFAULT_SCOPES.join(' ');
