import { Inject, Injectable } from '@nestjs/common';
import { NoRedis } from '../../kernel/ports/outside/redis-health.js';
import { WritePosition } from '../../kernel/positions/write-position.js';
import { Engines } from '../engines.js';
import { type Service } from '../nest/lifecycle.js';

/** The log, which everything else reads. */
@Injectable()
export class LogServices {
  constructor(
    @Inject(Engines) private readonly engines: Engines,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
  ) {}

  list(): Service[] {
    const { eventStore, snapshots, redis } = this.engines;
    return [
      { name: 'event store', start: (signal) => eventStore.start(signal), stop: () => eventStore.stop() },
      { name: 'snapshots', start: () => snapshots.start() },
      ...(redis instanceof NoRedis ? [] : [{ name: 'redis', start: () => redis.start(), stop: () => redis.stop() }]),
      { name: 'write position', start: async () => this.writePosition.advanceTo(await eventStore.lastPosition()) },
    ];
  }
}
