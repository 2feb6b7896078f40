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

export type DescribedResponse = {
  readonly description?: string;
  headers?: Readonly<Record<string, object>>;
  content?: Readonly<Record<string, object>>;
  links?: Readonly<Record<string, object>>;
  readonly $ref?: string;
  readonly 'x-codes'?: readonly string[];
};

/**
 * An operation of the API description, as generated. It contains the traits that its route declares
 * (`OperationTraits`). These are removed from the document once they have been used.
 */
export type Operation = Partial<OperationTraits> & {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: object;
  responses: Record<string, DescribedResponse>;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
};

export type Described = {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
};

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);

/**
 * Returns the operations of the API description. They are references, so changing an operation changes the description.
 */
export function listOperations(document: OpenAPIObject): readonly Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation: operation as Operation })),
  );
}
