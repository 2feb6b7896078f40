// needs: database, git, bubblewrap, chromium

import { describeBuiltPages } from './built-pages.js';
import { quick } from './quick.js';

describeBuiltPages(quick, { minutesEach: 2 });
