// Types of the packages in bench/package.json, so that type checks need no installation.

declare module '@event-driven-io/dumbo' {
  export type SQL = { readonly __brand: 'sql' };
  export const rawSql: (text: string) => SQL;
}

declare module '@event-driven-io/emmett-postgresql' {
  import type { SQL } from '@event-driven-io/dumbo';

  type EmmettEvent = { readonly type: string; readonly data: object; readonly metadata: object };
  export type Projection<Event extends EmmettEvent> = {
    handle: (events: Event[], context: object) => Promise<void> | void;
  };
  type Collection = { handle: (id: string, change: (document: object | null) => object | null) => Promise<unknown> };
  type PongoContext = { pongo: { db: () => { collection: (name: string) => Collection } } };
  type SqlContext = { execute: { query: (sql: SQL) => Promise<{ rows: object[] }> } };

  export const getPostgreSQLEventStore: (connectionString: string) => {
    schema: { migrate: () => Promise<unknown> };
    appendToStream: (
      stream: string,
      events: EmmettEvent[],
      options?: { expectedStreamVersion: bigint | 'STREAM_DOES_NOT_EXIST' },
    ) => Promise<{ nextExpectedStreamVersion: bigint }>;
    streamExists: (stream: string) => Promise<boolean>;
    close: () => Promise<void>;
  };
  export const pongoProjection: <Event extends EmmettEvent>(options: {
    name: string;
    canHandle: string[];
    handle: (events: Event[], context: PongoContext) => Promise<void>;
  }) => Projection<Event>;
  export const postgreSQLRawSQLProjection: <Event extends EmmettEvent>(options: {
    name: string;
    canHandle: string[];
    evolve: (event: Event, context: SqlContext) => Promise<SQL[]>;
  }) => Projection<Event>;
  export const rebuildPostgreSQLProjections: <Event extends EmmettEvent>(options: {
    connectionString: string;
    projections: Projection<Event>[];
  }) => { start: () => Promise<unknown>; close: () => Promise<unknown> };
}

declare module '@fastify/busboy' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  export interface Busboy extends Writable {
    on(event: 'file', listener: (name: string, stream: Readable) => void): this;
    on(event: 'finish', listener: () => void): this;
    on(event: string, listener: (...given: unknown[]) => void): this;
  }
  export const Busboy: new (options: { headers: IncomingHttpHeaders; preservePath: boolean }) => Busboy;
}

declare module '@fastify/static' {
  import type { FastifyPluginCallback } from 'fastify';

  const fastifyStatic: FastifyPluginCallback<{ root: string; preCompressed: boolean }>;
  export default fastifyStatic;
}

declare module 'multer' {
  import type { Request, Response } from 'express';

  type Upload = Request & { files?: { path: string }[] };
  const multer: (options: { dest: string }) => {
    array: (field: string) => (request: Upload, response: Response, next: () => void) => unknown;
  };
  export default multer;
}

declare module 'serve-handler' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Options = { public: string; etag: boolean; cleanUrls: boolean };
  const serve: (request: IncomingMessage, response: ServerResponse, options: Options) => Promise<void>;
  export default serve;
}

declare module 'sirv' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  const sirv: (
    folder: string,
    options: { etag: boolean; brotli: boolean },
  ) => (request: IncomingMessage, response: ServerResponse) => void;
  export default sirv;
}
