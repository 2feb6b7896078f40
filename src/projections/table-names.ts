import { DefaultNamingStrategy } from 'typeorm';
import type { AnyReadModel } from './read-model.js';

/**
 * Returns the name of a model’s table. It contains the version, except for version 1, so that each version has its own
 * table.
 */
export const ofVersion = (name: string, version: number) => (version === 1 ? name : `${name}_${version}`);

/**
 * Returns TypeORM options for the tables of these read models. Table names contain the version, so if processes of two
 * versions of Stele run at the same time, each reads and updates its own tables.
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
