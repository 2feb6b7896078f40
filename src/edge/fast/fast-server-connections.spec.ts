import { serverConnectionsContract } from '../../../test/contracts/server-connections.contract.js';
import { FastServerConnections } from './fast-server-connections.js';

serverConnectionsContract('Connections of the fast path', (timeouts) => new FastServerConnections(timeouts));
