import { type Provider } from '@nestjs/common';
import { RateLimits } from '../../edge/http/limits/rate-limits.js';
import { ServerConnectionPool } from '../../edge/http/proxy/server-connections.js';
import { EventStore } from '../../kernel/event-store.js';
import { Builder } from '../../kernel/ports/outside/builder.js';
import { CertificateServer } from '../../kernel/ports/outside/certificate-server.js';
import { Countries } from '../../kernel/ports/outside/countries.js';
import { DiskSpace } from '../../kernel/ports/outside/disk-space.js';
import { DomainChecker } from '../../kernel/ports/outside/domain-checker.js';
import { IdentityProvider } from '../../kernel/ports/outside/identity-provider.js';
import { ImageBuilder } from '../../kernel/ports/outside/image-builder.js';
import { Mail, Outbox } from '../../kernel/ports/outside/mail.js';
import { PageModel } from '../../kernel/ports/outside/page-model.js';
import { RedisHealth } from '../../kernel/ports/outside/redis-health.js';
import { Repositories } from '../../kernel/ports/outside/repositories.js';
import { ServerRunner } from '../../kernel/ports/outside/server-runner.js';
import { TokenIssuers } from '../../kernel/ports/outside/token-issuers.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { provide } from '../../nest/provide.js';
import { BlobStore } from '../../storage/blobs/blob-store.js';
import { ProcessContext } from '../context.js';
import { chooseEngines, Engines } from '../engines.js';

export const engineProviders = (context: ProcessContext): Provider[] => [
  provide(Engines, [], () => chooseEngines(context)),
  provide(EventStore, [Engines], ({ eventStore }) => eventStore),
  provide(Snapshots, [Engines], ({ snapshots }) => snapshots),
  provide(RedisHealth, [Engines], ({ redis }) => redis),
  provide(RateLimits, [Engines], ({ rateLimits }) => rateLimits),
  provide(DiskSpace, [Engines], ({ diskSpace }) => diskSpace),
  provide(BlobStore, [Engines], ({ blobs }) => blobs),
  provide(Mail, [Engines], ({ mail }) => mail),
  provide(Outbox, [Engines], ({ outbox }) => outbox),
  provide(IdentityProvider, [Engines], ({ identityProvider }) => identityProvider),
  provide(CertificateServer, [Engines], ({ certificateServer }) => certificateServer),
  provide(DomainChecker, [Engines], ({ domainChecker }) => domainChecker),
  provide(PageModel, [Engines], ({ pageModel }) => pageModel),
  provide(TokenIssuers, [Engines], ({ tokenIssuers }) => tokenIssuers),
  provide(Repositories, [Engines], ({ repositories }) => repositories),
  provide(Builder, [Engines], ({ builder }) => builder),
  provide(ImageBuilder, [Engines], ({ imageBuilder }) => imageBuilder),
  provide(ServerRunner, [Engines], ({ serverRunner }) => serverRunner),
  provide(ServerConnectionPool, [Engines], ({ serverConnections }) => serverConnections),
  provide(Countries, [Engines], ({ countries }) => countries),
];
