import { describeBuiltPages } from './built-pages.js';
import { long } from './long.js';

describeBuiltPages(long, { minutesEach: 10 });
