import type { Feature } from '../../../nest/features.js';
import { ActivityReactor } from './activity-reactor.js';

export const activity: Feature = { routes: [], providers: [ActivityReactor] };
