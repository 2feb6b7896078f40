import type { z } from 'zod';
import { eventType, type Meaning, type Upcast } from '../event-type.js';

type SiteMeaning<Data> = Meaning<Data> & Required<Pick<Meaning<Data>, 'summary' | 'changes'>>;

/** Defines a type of event of a site's stream. Its summary, and what it changes for `If-Match`, are required. */
export const siteEventType = <Name extends string, Shape extends z.ZodType>(
  name: Name,
  shape: Shape,
  meaning: SiteMeaning<z.output<Shape>>,
  ...upcasts: Upcast[]
) => eventType(name, shape, meaning, ...upcasts);
