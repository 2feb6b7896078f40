import type { Pool } from 'pg';
import type { AnyReadModel } from '../read-model.js';

/** A range of the event log that contains no events for a model. */
type SkippedRange = {
  readonly model: AnyReadModel;
  readonly before: bigint;
  readonly after: bigint;
  readonly done: PromiseWithResolvers<boolean>;
};

/** Moves several checkpoints. Locks their rows in the order of their names, to prevent deadlocks between processes. */
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
 * Moves the checkpoints of models past events that they do not use. Combines all pending moves into one statement: most
 * models do not use a given event, and a separate transaction for each would take longer than applying the event.
 */
export class CheckpointSkipper {
  #due: SkippedRange[] = [];
  #isMoving = false;

  constructor(private readonly pool: Pool) {}

  /** Moves a checkpoint. Resolves to false if another process has already moved the checkpoint. */
  skip(model: AnyReadModel, before: bigint, after: bigint): Promise<boolean> {
    const done = Promise.withResolvers<boolean>();
    this.#due.push({ model, before, after, done });
    if (!this.#isMoving) {
      this.#isMoving = true;
      // Wait for other projectors, so that their moves can be combined. They receive events of the same log within one
      // iteration of the event loop.
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
