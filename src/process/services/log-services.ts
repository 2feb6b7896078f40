import { Inject, Injectable } from '@nestjs/common';
import { WritePosition } from '../../kernel/positions/write-position.js';
import { type Service } from '../../nest/lifecycle.js';
import { RedisConnection } from '../../storage/cluster/redis-connection.js';
import { Engines } from '../engines.js';

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
      ...(redis instanceof RedisConnection
        ? [{ name: 'redis', start: () => redis.start(), stop: () => redis.stop() }]
        : []),
      { name: 'write position', start: async () => this.writePosition.advanceTo(await eventStore.lastPosition()) },
    ];
  }
}
