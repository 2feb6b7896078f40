import type { FactoryProvider } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { PersonalDataStore } from '../kernel/ports/personal-data-stores.js';
import type { Table } from '../storage/tables/table.js';
import { findDeclared } from './declarations.js';

/** The opened tables of one module. `collectTables` collects those of all modules. */
export class DeclaredTables {
  readonly all: readonly OpenTable[];

  constructor(tables: readonly Table[], accesses: readonly object[]) {
    this.all = tables.flatMap((table, at) => {
      const access = accesses[at];
      return access ? [{ table, access }] : [];
    });
  }
}

/** Provides the tables of one module. Their definitions can be read before the tables are opened. */
export class TableFactory implements FactoryProvider<DeclaredTables> {
  readonly provide = DeclaredTables;
  readonly inject: Table['access'][];

  constructor(readonly tables: readonly Table[]) {
    this.inject = tables.map(({ access }) => access);
  }

  readonly useFactory = (...accesses: object[]) => new DeclaredTables(this.tables, accesses);
}

export type OpenTable = {
  readonly table: Table;
  /** The class that reads and writes the table. */
  readonly access: object;
};

/** Returns the tables of all modules. Call this after all providers have been created. */
export const collectTables = (discovery: DiscoveryService): readonly OpenTable[] =>
  findDeclared(discovery, DeclaredTables).flatMap(({ all }) => all);

/** Reports whether the table contains personal data. If so, its class can delete the data of a user. */
export const keepsPersonalData = (open: OpenTable): open is OpenTable & { readonly access: PersonalDataStore } =>
  open.table.keepsPersonalData === true;
