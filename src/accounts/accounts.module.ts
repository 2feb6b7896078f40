import { Global, Module } from '@nestjs/common';
import { features } from '../nest/features.js';
import { oauthArtifactsTable } from './grants/oauth-artifacts.js';
import { oauthClientsTable } from './grants/oauth-clients.js';
import { oauthGrantsTable } from './grants/oauth-grants.js';
import { idempotencyTable } from './idempotency/idempotency-keys.js';
import { auditKeysTable } from './keys/audit-keys.js';
import { mailedLinksTable } from './people/mailed-links.js';
import { peopleTable } from './people/people.js';
import { sessionsTable } from './people/sessions.js';
import { shareUseTable } from './shares/share-use.js';
import { siteNetworksTable } from './shares/site-networks.js';
import { unclaimedContentTable } from './shares/unclaimed-content.js';
import { sitePasswordsTable } from './site-passwords.js';
import { accessTokensTable } from './tokens/access-tokens.js';
import { connectorTokensTable } from './tokens/connector-tokens.js';
import { publishersTable } from './tokens/publishers.js';
import { vaultTable } from './vault.js';

/** Tables of user accounts in the order in which they are created: each comes after the tables that it references. */
const tables = [
  auditKeysTable,
  vaultTable,
  peopleTable,
  sessionsTable,
  publishersTable,
  accessTokensTable,
  mailedLinksTable,
  sitePasswordsTable,
  idempotencyTable,
  connectorTokensTable,
  oauthGrantsTable,
  oauthArtifactsTable,
  oauthClientsTable,
  siteNetworksTable,
  shareUseTable,
  unclaimedContentTable,
];

@Global()
@Module({ ...features({ tables }), exports: tables.map(({ access }) => access) })
export class AccountsModule {}
