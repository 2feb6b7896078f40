import type { Feature } from '../../../nest/features.js';
import { RollingUp } from './rolling-up.js';

/** What came to sites is added up by hour and day. */
export const rollUp: Feature = { routes: [], providers: [RollingUp] };
