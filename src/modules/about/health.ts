import { Controller, Get, HttpCode, Inject } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { version } from '../../http/api/version.js';
import { EventStore } from '../../kernel/event-store.js';
import { Builder } from '../../kernel/ports/outside/builder.js';
import { PageModel } from '../../kernel/ports/outside/page-model.js';
import { Repositories } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import type { Feature } from '../../process/nest/features.js';
import { EventEngine } from '../../settings.js';
import { Pulse } from './pulse.js';

const Check = z.enum(['ok', 'failing']);

const Health = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    eventStore: z.object({ engine: z.enum(['postgresql', 'kurrentdb']) }),
    checks: z.object({
      eventStore: Check,
      database: Check,
      projections: z.object({
        lag: z.number().int().meta({ description: 'What of the log the read models have not passed yet.' }),
        unit: z.literal('bytes').optional().meta({
          description: 'Of `lag` where events live in EventStoreDB: bytes of its log. Else it counts events.',
        }),
        stopped: z.number().int().meta({
          description: 'Streams with an event that a read model cannot apply; what follows it there waits for it.',
        }),
      }),
      blobs: Check,
      redis: Check.optional().meta({
        description:
          'Where one is configured. While it fails each process counts by itself what is limited; nothing else depends on it.',
      }),
      repositories: z.enum(['ok', 'unavailable']).meta({
        description: 'Whether this machine has what it takes to read repositories: git, prlimit and timeout.',
      }),
      builder: z.object({
        engine: z.enum(['bubblewrap', 'container', 'none']),
        reason: z.string().optional().meta({ description: 'Why this process cannot build, and what to do.' }),
      }),
      generator: z.object({
        model: z.enum(['configured', 'none']).meta({
          description: 'Whether prompts are given to a model. It is not asked for this: that may cost something.',
        }),
      }),
    }),
    trouble: z.string().optional().meta({
      description:
        'What keeps this process from following the log, and what to do about it; where there is such a thing.',
    }),
  })
  .meta({ id: 'Health' });

const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' });

@ApiTags('About')
@Controller()
class HealthController {
  constructor(
    @Inject(Pulse) private readonly pulse: Pulse,
    @Inject(Repositories) private readonly repositories: Repositories,
    @Inject(Builder) private readonly builder: Builder,
    @Inject(PageModel) private readonly model: PageModel,
    @Inject(EventEngine) private readonly engine: EventEngine,
    @Inject(EventStore) private readonly store: EventStore,
  ) {}

  @ApiOperation({
    summary: 'How the process is',
    description: 'Answers 200 while the process lives; `degraded` says that a part of it fails.',
  })
  @ApiResponse({ status: 200, standardSchema: Health, description: 'Alive.' })
  @Get('health')
  async health(): Promise<z.output<typeof Health>> {
    const { eventStore, database, blobs, lag, stopped } = await this.pulse.take();
    const redis = await this.pulse.redis();
    const { trouble } = this.store;
    const check = (fine: boolean) => (fine ? ('ok' as const) : ('failing' as const));
    return {
      status:
        eventStore && database && blobs && stopped === 0 && redis !== false && trouble === null ? 'ok' : 'degraded',
      version,
      eventStore: { engine: this.engine.name },
      checks: {
        eventStore: check(eventStore),
        database: check(database),
        projections: { lag, ...(this.engine.name === 'kurrentdb' && { unit: 'bytes' as const }), stopped },
        blobs: check(blobs),
        ...(redis !== null && { redis: check(redis) }),
        repositories: this.repositories.missing === null ? 'ok' : 'unavailable',
        builder: builderCheck(this.builder),
        generator: { model: this.model.isConfigured ? 'configured' : 'none' },
      },
      ...(trouble !== null && { trouble }),
    };
  }

  @ApiOperation({ summary: 'Whether the process can take a deploy' })
  @ApiResponse({ status: 200, standardSchema: Ready, description: 'It can; 503 when it cannot write.' })
  @Get('ready')
  @HttpCode(200)
  async ready(): Promise<z.output<typeof Ready>> {
    const { eventStore, database, blobs } = await this.pulse.ofWrites();
    if (!eventStore || !database || !blobs)
      refuse('unavailable', 'The store or the content cannot be written right now.');
    return { status: 'ready' };
  }
}

const builderCheck = ({ engine, missing }: Builder) =>
  missing === null ? { engine } : { engine: 'none' as const, reason: missing };

export const health: Feature = { routes: [HealthController], providers: [Pulse] };
