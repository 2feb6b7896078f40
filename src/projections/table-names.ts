import { DefaultNamingStrategy } from 'typeorm';
import type { AnyReadModel } from './read-model.js';

export const ofVersion = (name: string, version: number) => (version === 1 ? name : `${name}_${version}`);

/**
 * Returns TypeORM options for read model tables. Because table names contain the version, processes of two versions of
 * Stele can run concurrently, each with its own tables.
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
