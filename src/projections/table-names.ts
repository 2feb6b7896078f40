import { DefaultNamingStrategy } from 'typeorm';
import type { AnyReadModel } from './read-model.js';

/** From version 2 on, the name includes the version, so that each version of a model has its own table. */
export const ofVersion = (name: string, version: number) => (version === 1 ? name : `${name}_${version}`);

/**
 * Returns TypeORM options for the tables of these read models, each named after its version. If processes of two
 * product versions run at once, each reads and updates its own tables.
 */
export const buildTableOptions = (models: readonly AnyReadModel[]) => ({
  entities: models.map(({ entity }) => entity),
  namingStrategy: new ByVersion(models),
  synchronize: false,
});

class ByVersion extends DefaultNamingStrategy {
  readonly #versions: ReadonlyMap<string, number>;

  constructor(models: readonly AnyReadModel[]) {
    super();
    this.#versions = new Map(models.map(({ entity, version }) => [entity.name, version]));
  }

  override tableName(target: string, given: string | undefined): string {
    return ofVersion(super.tableName(target, given), this.#versions.get(target) ?? 1);
  }
}
