import type { Feature } from '../../../nest/features.js';
import { ErasedTraffic } from './erased-traffic.js';

/** The traffic of sites that are over is erased. */
export const erase: Feature = { routes: [], providers: [ErasedTraffic] };
