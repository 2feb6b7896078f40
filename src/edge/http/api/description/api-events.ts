import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import { attachTrait } from './api-extension.js';

/** Schemas of the data of a stream’s events, by event name. `*` covers all other names. */
export type EventShapes = Readonly<Record<string, z.ZodType>>;

/** The events of an operation’s streams. */
export type DescribedEvents = {
  /** Name of the schema in `/openapi.json` that is the union of all events. */
  readonly name: string;
  /** Wrapped in a function because route metadata is copied on its way, and schemas do not survive copying. */
  readonly shapes: () => {
    readonly events: EventShapes;
    /** Events without an ID, because they are not recorded. */
    readonly unnumbered: EventShapes;
  };
};

/**
 * The schema of each line of a line-based response, with its name in `/openapi.json`. `shape` is a function for the
 * same reason as `shapes`.
 */
export type DescribedLines = { readonly name: string; readonly shape: () => z.ZodType };

/** Reference from a stream’s media type to the schema of its events. */
export const eventRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schema of a body that is text on the wire but a sequence of events to its reader. */
export const describeStream = (name: string, contentMediaType: string) => ({
  schema: { type: 'string' as const, contentMediaType, contentSchema: eventRef(name) },
});

/** Describes a list that is sent to clients as one item per line if they accept this media type. */
export const ApiLines = (name: string, mediaType: string, shape: z.ZodType) =>
  applyDecorators(
    attachTrait('x-lines', { name, shape: () => shape }),
    attachTrait('x-also-answers', { [mediaType]: describeStream(name, mediaType) }),
  );

/** Describes the events of a stream. `name` becomes a type in generated clients. */
export const ApiEvents = (name: string, events: EventShapes, unnumbered: EventShapes = {}) =>
  applyDecorators(attachTrait('x-events', { name, shapes: () => ({ events, unnumbered }) }));
