import type { Pool } from 'pg';
import type { AnyReadModel } from '../read-model.js';

/** A batch in which a model finds nothing for itself. */
type SkippedRange = {
  readonly model: AnyReadModel;
  readonly before: bigint;
  readonly after: bigint;
  readonly done: PromiseWithResolvers<boolean>;
};

/** All in the order of their names, so that two processes never wait for each other's rows. */
const MOVE = {
  name: 'checkpoints_pass',
  text: `
    with passed as (
      select name, version, after
      from checkpoints join unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[])
        as passed (name, version, before, after) using (name, version)
      where position = before order by name for update of checkpoints
    )
    update checkpoints set position = after from passed
    where checkpoints.name = passed.name and checkpoints.version = passed.version
    returning checkpoints.name, set_config('synchronous_commit', 'off', true)`,
};

/**
 * Moves the checkpoints of models over events that are none of theirs, all that are due together by one statement: most
 * events concern few models, and a transaction for each of the others would cost more than the event.
 */
export class CheckpointSkipper {
  #due: SkippedRange[] = [];
  #isMoving = false;

  constructor(private readonly pool: Pool) {}

  /** Moves the checkpoint from `before` to `after`. False when another process has moved it already. */
  skip(model: AnyReadModel, before: bigint, after: bigint): Promise<boolean> {
    const done = Promise.withResolvers<boolean>();
    this.#due.push({ model, before, after, done });
    if (!this.#isMoving) {
      this.#isMoving = true;
      // Those who follow the same log hear of the same events within one turn.
      setImmediate(() => void this.#moveAll());
    }
    return done.promise;
  }

  async #moveAll() {
    while (this.#due.length > 0) {
      const due = this.#due;
      this.#due = [];
      try {
        const moved = await this.#moved(due);
        for (const { model, done } of due) done.resolve(moved.has(model.name));
      } catch (error) {
        for (const { done } of due) done.reject(error);
      }
    }
    this.#isMoving = false;
  }

  async #moved(due: readonly SkippedRange[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ name: string }>({
      ...MOVE,
      values: [
        due.map(({ model }) => model.name),
        due.map(({ model }) => model.version),
        due.map(({ before }) => String(before)),
        due.map(({ after }) => String(after)),
      ],
    });
    return new Set(rows.map(({ name }) => name));
  }
}
