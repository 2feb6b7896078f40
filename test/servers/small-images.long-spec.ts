// needs: database, git, bubblewrap, chromium, containers, busybox

import { smallImages } from '../contracts/small-images.contract.js';
import { containerEngine } from '../support/builds/container-engine.js';

smallImages('by Podman', containerEngine);
