// needs: database, git, bubblewrap, chromium
// only: templates

import { describeBuiltPages } from './built-pages.js';
import { long } from './long.js';

describeBuiltPages(long, { minutesEach: 10 });
