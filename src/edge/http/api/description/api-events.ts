import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import { attachTrait } from './api-extension.js';

/** Schemas of event data, keyed by event name. `*` covers all other names. */
export type EventShapes = Readonly<Record<string, z.ZodType>>;

export type DescribedEvents = {
  /** Name of the schema in `/openapi.json` that combines all events. */
  readonly name: string;
  /** This is a function, because route metadata is copied and schemas do not survive copying. */
  readonly shapes: () => {
    readonly events: EventShapes;
    /** Events that are not recorded and therefore have no ID. */
    readonly unnumbered: EventShapes;
  };
};

/** The schema of each line in a line-based response, and its name in `/openapi.json`. */
export type DescribedLines = { readonly name: string; readonly shape: () => z.ZodType };

export const eventRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns the schema of a text body that clients read as a sequence of events. */
export const describeStream = (name: string, contentMediaType: string) => ({
  schema: { type: 'string' as const, contentMediaType, contentSchema: eventRef(name) },
});

/** Describes a list that clients can also request with one item per line, in `mediaType`. */
export const ApiLines = (name: string, mediaType: string, shape: z.ZodType) =>
  applyDecorators(
    attachTrait('x-lines', { name, shape: () => shape }),
    attachTrait('x-also-answers', { [mediaType]: describeStream(name, mediaType) }),
  );

/** Describes the events of a stream. `name` becomes a type in generated clients. */
export const ApiEvents = (name: string, events: EventShapes, unnumbered: EventShapes = {}) =>
  applyDecorators(attachTrait('x-events', { name, shapes: () => ({ events, unnumbered }) }));
