import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationTraits } from '../../../edge/http/api/description/operation-traits.js';

export type Schema = Readonly<Record<string, unknown>>;

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
};

export type DescribedAnswer = {
  readonly description?: string;
  headers?: Readonly<Record<string, object>>;
  content?: Readonly<Record<string, object>>;
  links?: Readonly<Record<string, object>>;
  readonly $ref?: string;
  /** The codes of its problem. */
  readonly 'x-codes'?: readonly string[];
};

/** An operation as the generator leaves it: with what routes say of themselves, which is taken out once it is used. */
export type Operation = Partial<OperationTraits> & {
  readonly operationId?: string;
  parameters?: readonly Parameter[];
  requestBody?: object;
  responses: Record<string, DescribedAnswer>;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
};

export type Described = {
  readonly path: string;
  /** In capitals. */
  readonly method: string;
  readonly operation: Operation;
};

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);

/** Every operation of a description, to be read and written. */
export function operationsOf(document: OpenAPIObject): readonly Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation: operation as Operation })),
  );
}
