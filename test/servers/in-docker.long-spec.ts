// needs: database, git, dockerd, busybox

import { hostileServers } from '../contracts/hostile-servers.contract.js';
import { smallImages } from '../contracts/small-images.contract.js';
import { dockerEngine } from '../support/builds/docker-engine.js';
import { hostileImages } from '../support/servers/hostile-images.js';

smallImages('by Docker', dockerEngine);

hostileServers('A hostile server in a container of Docker', () => hostileImages(dockerEngine));
