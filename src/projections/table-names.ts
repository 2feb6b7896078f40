import { DefaultNamingStrategy } from 'typeorm';
import type { AnyReadModel } from './read-model.js';

/** From the second version on, the number is in the name: each version of a model has a table of its own. */
export const ofVersion = (name: string, version: number) => (version === 1 ? name : `${name}_${version}`);

/**
 * For TypeORM: the tables of these read models, each under the name of its version. Processes of two versions of the
 * product that run at once each read and keep their own.
 */
export const tablesOf = (models: readonly AnyReadModel[]) => ({
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
