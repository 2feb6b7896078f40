// A server that returns each message of a WebSocket. Argument 2 is the address to listen on.

import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer((_request, response) => response.end('it takes WebSockets'));
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.listen(process.argv[2], () => console.log('0'));
