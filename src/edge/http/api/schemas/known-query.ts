import { type CanActivate, type ExecutionContext, Injectable, RequestMethod, SetMetadata } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refuse } from '../../../../kernel/refusal.js';
import { readRouteOptions } from '../route-options.js';

const NAMES = 'stele:query-names';

/** Lists the query parameters that a handler reads without a schema. */
export const TakesQuery = (...names: readonly string[]) => SetMetadata(NAMES, names);

type Handler = ReturnType<ExecutionContext['getHandler']>;
type RouteParameter = { readonly schema?: unknown };

/**
 * Refuses unknown query parameters of the API (`/v1/`): otherwise, a misspelled `expires` would be ignored and the site
 * would never expire. Links that people open accept any parameter, because mail clients and identity providers add
 * their own.
 */
@Injectable()
export class KnownQuery implements CanActivate {
  readonly #known = new WeakMap<Handler, ReadonlySet<string>>();

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const given = Object.keys(request.query ?? {});
    if (given.length === 0 || !request.routeOptions.url?.startsWith('/v1/')) return true;
    const handler = context.getHandler();
    if (
      readRouteOptions(request.routeOptions).problemPages &&
      Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET
    )
      return true;
    const known = this.#known.get(handler) ?? namesOf(context.getClass(), handler);
    this.#known.set(handler, known);
    const unknown = given.filter((name) => !known.has(name));
    return unknown.length === 0 || refuseUnknown(unknown, known);
  }
}

function namesOf(controller: object, handler: Handler): ReadonlySet<string> {
  const parameters: Record<string, RouteParameter> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {};
  const schemas = Object.entries(parameters)
    .filter(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`))
    .flatMap(([, { schema }]) => (schema instanceof z.ZodType ? [schema] : []));
  const names = schemas.flatMap((schema) =>
    Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}),
  );
  return new Set([...names, ...(Reflect.getMetadata(NAMES, handler) ?? [])]);
}

function refuseUnknown(unknown: readonly string[], known: ReadonlySet<string>): never {
  const taken =
    known.size === 0
      ? 'This URL does not accept query parameters.'
      : `This URL accepts ${[...known].map((name) => `\`${name}\``).join(', ')}.`;
  const names = unknown.slice(0, 10).map((name) => name.slice(0, 100));
  return refuse(
    'invalid_request',
    `${names.map((name) => `\`${name}\``).join(', ')} ${names.length === 1 ? 'is not a known query parameter' : 'are not known query parameters'}. ${taken}`,
    names.map((path) => ({ path, message: 'is not a known query parameter' })),
  );
}
