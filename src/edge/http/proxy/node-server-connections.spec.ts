import { serverConnectionsContract } from '../../../../test/contracts/server-connections.contract.js';
import { NodeServerConnections } from './node-server-connections.js';

serverConnectionsContract('Connections of Node’s HTTP client', (timeouts) => new NodeServerConnections(timeouts));
