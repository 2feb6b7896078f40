import type { Pool } from 'pg';

export class TrafficTraces {
  constructor(private readonly pool: Pool) {}
}
