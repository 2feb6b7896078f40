import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import { tell } from './tell.js';

/** The events of a stream: the schema of the data of each, by its name. `*` stands for any further name. */
export type EventShapes = Readonly<Record<string, z.ZodType>>;

/** What the streams of an operation are made of. */
export type DescribedEvents = {
  /** Of the schema in `/openapi.json` that is any one of them. */
  readonly name: string;
  /** A function, as what is said of a route is copied on its way, which schemas do not outlast. */
  readonly shapes: () => {
    readonly events: EventShapes;
    /** Events that have no id, as they are not recorded. */
    readonly unnumbered: EventShapes;
  };
};

/** What each line of an answer in lines is: the name of its schema in `/openapi.json`, and a function as above. */
export type DescribedLines = { readonly name: string; readonly shape: () => z.ZodType };

/** Where a stream’s own media types refer to one of its events. */
export const eventRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schema of a body that is text on the wire, and a row of events to its reader. */
export const streamOf = (name: string, contentMediaType: string) => ({
  schema: { type: 'string' as const, contentMediaType, contentSchema: eventRef(name) },
});

/** Describes an answer that is a list to clients that ask for this media type, an item of that name in each line. */
export const ApiLines = (name: string, mediaType: string, shape: z.ZodType) =>
  applyDecorators(
    tell('x-lines', { name, shape: () => shape }),
    tell('x-also-answers', { [mediaType]: streamOf(name, mediaType) }),
  );

/** Describes the events of a stream under a name of their own, which clients have as a type. */
export const ApiEvents = (name: string, events: EventShapes, unnumbered: EventShapes = {}) =>
  applyDecorators(tell('x-events', { name, shapes: () => ({ events, unnumbered }) }));
