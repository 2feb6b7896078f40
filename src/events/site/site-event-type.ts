import type { z } from 'zod';
import { type Definition, eventType, type Meaning, type Upcast } from '../event-type.js';

type SiteDefinition<Data> = Definition<Data> & Required<Pick<Meaning<Data>, 'summary' | 'changes'>>;

/**
 * Defines a type of event of a site's stream. Requires a summary, and how the event changes the site for `If-Match`.
 */
export const siteEventType = <Name extends string, Shape extends z.ZodType>(
  name: Name,
  shape: Shape,
  definition: SiteDefinition<z.output<Shape>>,
  ...upcasts: Upcast[]
) => eventType(name, shape, definition, ...upcasts);
