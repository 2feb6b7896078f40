// A program that sends each message of a WebSocket back: argument 2 is where it listens.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';

const { WebSocketServer } = createRequire(new URL('../../package.json', import.meta.url))('ws');

const server = createServer((_request, response) => response.end('it takes WebSockets'));
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.listen(process.argv[2], () => console.log('0'));
