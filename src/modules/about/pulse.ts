import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { EventStore } from '../../kernel/event-store.js';
import { RedisHealth } from '../../kernel/ports/outside/redis-health.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { BlobStore } from '../../storage/blobs/blob-store.js';

const PATIENCE_MS = 1_000;

/** A component that does not respond within a second counts as failed. */
@Injectable()
export class Pulse {
  constructor(
    private readonly store: EventStore,
    private readonly blobs: BlobStore,
    private readonly checkpoints: Checkpoints,
    private readonly redisHealth: RedisHealth,
    @InjectDataSource() private readonly db: DataSource,
  ) {}

  /**
   * Checks the event store, the database and the content storage. Because this runs every few seconds, it checks only
   * what a write requires.
   */
  async ofWrites() {
    const [end, database, blobs] = await Promise.all([
      inTime(this.store.lastPosition()),
      inTime(this.db.query('select 1')),
      inTime(this.blobs.touch([])),
    ]);
    return { end, eventStore: end !== null, database: database !== null, blobs: blobs !== null };
  }

  async take() {
    const [{ end, ...parts }, kept, stopped] = await Promise.all([
      this.ofWrites(),
      // Reads the position of the read models from the database, because another process may maintain them.
      inTime(this.checkpoints.readLowest()),
      inTime(this.checkpoints.stopped()),
    ]);
    const lag = end === null ? 0 : Math.max(0, Number(end - (kept ?? this.checkpoints.lowest())));
    const streams = [...(stopped ?? new Map<string, number>()).values()].reduce((sum, each) => sum + each, 0);
    return { ...parts, lag, stopped: streams };
  }

  redis = () => this.redisHealth.checkReachable();
}

/** Resolves to null if the promise rejects or takes longer than a second. */
export async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, null);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
