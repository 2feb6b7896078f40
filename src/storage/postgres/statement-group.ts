import pg, { type Client, type Connection, type QueryResult } from 'pg';

/** A statement that is already prepared on the connection. Its values are strings, numbers or null. */
export type PreparedStatement = { readonly name: string; readonly values: readonly unknown[] };

/**
 * Executes prepared statements as one transaction. They are sent together with a single `Sync` at the end, which
 * commits the transaction that PostgreSQL starts implicitly. So PostgreSQL is woken once and responds once. Either all
 * statements take effect or none.
 */
export function carryOutTogether(
  client: Client,
  statements: readonly PreparedStatement[],
): Promise<readonly QueryResult[]> {
  return new Promise((resolve, reject) => {
    const answered = (error: Error | null | undefined, results?: QueryResult | readonly QueryResult[]) => {
      if (error) reject(error);
      else resolve(results === undefined ? [] : [results].flat());
    };
    client.query(new StatementGroup(statements, answered));
  });
}

class StatementGroup extends pg.Query {
  constructor(
    statements: readonly PreparedStatement[],
    answered: (error: Error | undefined, results: QueryResult) => void,
  ) {
    super({ text: '' }, answered);
    this.submit = (connection) => submit(connection, statements);
  }
}

function submit(connection: Connection, statements: readonly PreparedStatement[]): null {
  connection.stream.cork();
  try {
    for (const { name, values } of statements) {
      connection.bind({ statement: name, values: values.map(textOf) }, true);
      connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
  } finally {
    connection.stream.uncork();
  }
  return null;
}

const textOf = (value: unknown) => (value === null ? null : String(value));
