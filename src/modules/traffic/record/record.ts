import type { Feature } from '../../../nest/features.js';
import { Retention } from '../retain/retention.js';
import { Recorder } from './recorder.js';

/** What sites are asked is written down. */
export const record: Feature = { routes: [], providers: [Recorder, Retention] };
