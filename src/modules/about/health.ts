import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { version } from '../../edge/http/api/version.js';
import { EventStore } from '../../kernel/event-store.js';
import { Builder } from '../../kernel/ports/outside/builder.js';
import { PageModel } from '../../kernel/ports/outside/page-model.js';
import { Repositories } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import type { Feature } from '../../nest/features.js';
import { EventEngine } from '../../settings/settings.js';
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
        lag: z
          .number()
          .int()
          .meta({ description: 'How much of the event log the read models have not processed yet.' }),
        unit: z.literal('bytes').optional().meta({
          description: 'Unit of `lag` if events are stored in EventStoreDB. Otherwise, `lag` counts events.',
        }),
        stopped: z.number().int().meta({
          description:
            'Number of streams with an event that a read model cannot apply. Later events in these streams are not applied either.',
        }),
      }),
      blobs: Check,
      redis: Check.optional().meta({
        description:
          'Present if Redis is configured. While Redis is not responding, each process counts requests for rate limits on its own. Nothing else depends on Redis.',
      }),
      repositories: z.enum(['ok', 'unavailable']).meta({
        description: 'Whether this machine has the tools to read repositories: git, prlimit and timeout.',
      }),
      builder: z.object({
        engine: z.enum(['bubblewrap', 'container', 'none']),
        reason: z.string().optional().meta({ description: 'Why this process cannot build sites, and how to fix it.' }),
      }),
      generator: z.object({
        model: z.enum(['configured', 'none']).meta({
          description:
            'Whether a model is configured for prompts. The check does not call the model, because that can cost money.',
        }),
      }),
    }),
    trouble: z.string().optional().meta({
      description: 'Why this process cannot follow the event log, and how to fix it. Absent if there is no problem.',
    }),
  })
  .meta({ id: 'Health' });

const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' });

@ApiTags('About')
@Controller()
class HealthController {
  constructor(
    private readonly pulse: Pulse,
    private readonly repositories: Repositories,
    private readonly builder: Builder,
    private readonly model: PageModel,
    private readonly engine: EventEngine,
    private readonly store: EventStore,
  ) {}

  @ApiOperation({
    summary: 'Check the process’s health',
    description: 'Returns 200 while the process is running. `degraded` means that at least one check fails.',
  })
  @ApiResponse({ status: 200, standardSchema: Health, description: 'The process is running.' })
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

  @ApiOperation({ summary: 'Check whether the process can accept deploys' })
  @ApiResponse({
    status: 200,
    standardSchema: Ready,
    description: 'The process can accept deploys. While it cannot, the response is 503.',
  })
  @Get('ready')
  @HttpCode(200)
  async ready(): Promise<z.output<typeof Ready>> {
    const { eventStore, database, blobs } = await this.pulse.ofWrites();
    if (!eventStore || !database || !blobs)
      refuse('unavailable', 'The event store, the database or the content storage is not writable right now.');
    return { status: 'ready' };
  }
}

const builderCheck = ({ engine, missing }: Builder) =>
  missing === null ? { engine } : { engine: 'none' as const, reason: missing };

export const health: Feature = { routes: [HealthController], providers: [Pulse] };
