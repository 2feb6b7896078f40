import { serverConnectionsContract } from '../../../test/contracts/server-connections.contract.js';
import { FastServerPool } from './fast-server-connections.js';

serverConnectionsContract('Connections of the fast path', (timeouts) => new FastServerPool(timeouts));
