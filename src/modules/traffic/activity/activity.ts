import type { Feature } from '../../../process/nest/features.js';
import { ActivityReactor } from './activity-reactor.js';

export const activity: Feature = { routes: [], providers: [ActivityReactor] };
