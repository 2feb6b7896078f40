import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { EventStore } from '../../../kernel/event-store.js';
import { Builder } from '../../../kernel/ports/outside/builder.js';
import { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { BuildSettings, JobSettings } from '../../../settings/build-settings.js';
import { KnownServers } from '../../servers/api/known-servers.js';
import { Deploys } from '../../sites/api/deploys.js';
import { JobRights } from '../../sites/api/job-rights.js';
import { SiteShares } from '../../sites/api/site-shares.js';
import { JobQueue } from '../api/job-queue.js';
import { SignedStatements } from '../provenance/signed-statements.js';
import { JobLogShares } from './job-log-shares.js';

@Injectable()
export class JobServices {
  constructor(
    readonly commands: CommandBus,
    readonly store: EventStore,
    readonly queue: JobQueue,
    readonly repositories: Repositories,
    readonly deploys: Deploys,
    readonly rights: JobRights,
    readonly builder: Builder,
    readonly imageBuilder: ImageBuilder,
    readonly servers: KnownServers,
    readonly builds: BuildSettings,
    readonly statements: SignedStatements,
    readonly shares: SiteShares,
    readonly logShares: JobLogShares,
    readonly urls: ServiceUrls,
    readonly settings: JobSettings,
  ) {}
}
