/** Source of a Node server without packages. The path of a request selects what it does, in most cases an attack. */
export const HOSTILE = `
const net = require('node:net');
const fs = require('node:fs');
const dns = require('node:dns').promises;
const { spawn } = require('node:child_process');
const answer = (text) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + Buffer.byteLength(text) + '\\r\\n\\r\\n' + text;
const reach = (host, port) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 10000 });
  socket.on('connect', () => resolve('reached')).on('error', (e) => resolve(e.code)).on('timeout', () => resolve('timeout'));
});
const endless = (socket, text) => {
  const more = () => { while (!socket.destroyed && socket.write(text)); };
  socket.on('drain', more);
  more();
};
const kept = [];
const acts = {
  '/hello': async (socket) => socket.write(answer('hello')),
  '/reach': async (socket, [, hosts, port]) => {
    const found = await Promise.all(hosts.split(',').map(async (host) => host + ' ' + await reach(host, Number(port))));
    socket.write(answer(found.join('\\n')));
  },
  '/resolve': async (socket) => socket.write(answer(await dns.lookup('example.com').then(() => 'resolved', (e) => e.code))),
  '/forks': async () => {
    for (;;) { try { spawn('/proc/self/exe', ['-e', 'for (;;) require("child_process").spawn(process.execPath, process.execArgv)'], { detached: true }).on('error', () => {}); } catch {} await null; }
  },
  '/memory': async () => { for (;;) kept.push(Buffer.alloc(16777216, 1)); },
  '/disk': async (socket) => {
    let written = 0;
    try { for (let n = 0; ; n++) { fs.writeFileSync('/tmp/' + n, Buffer.alloc(1048576)); written++; } }
    catch (e) { for (let n = 0; n < written; n++) fs.rmSync('/tmp/' + n, { force: true }); socket.write(answer(e.code + ' ' + written)); }
  },
  '/silent': async () => {},
  '/garbage': async (socket) => socket.write('I am no HTTP at all\\r\\n\\r\\n'),
  '/early': async (socket) => socket.destroy(),
  '/cut': async (socket) => socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 100\\r\\n\\r\\nonly this'),
  '/headers': async (socket) => { socket.write('HTTP/1.1 200 OK\\r\\n'); endless(socket, 'x-more: ' + 'y'.repeat(1000) + '\\r\\n'); },
  '/announcements': async (socket) => endless(socket, 'HTTP/1.1 103 Early Hints\\r\\nlink: x\\r\\n\\r\\n'),
  '/trickle': async (socket) => { socket.write('HTTP/1.1 200 OK\\r\\nx: '); setInterval(() => socket.write('y'), 1000); },
  '/busy': async (socket) => { for (const until = Date.now() + 4000; Date.now() < until;); socket.write(answer('done')); },
  '/exit': async () => process.exit(7),
};
process.on('uncaughtException', () => {});
net.createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    const head = String(bytes);
    const path = (head.split(' ')[1] || '').split('/');
    if (/upgrade: websocket/i.test(head)) {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nconnection: upgrade\\r\\nupgrade: websocket\\r\\n\\r\\n');
      return socket.pipe(socket);
    }
    (acts['/' + path[1]] || acts['/hello'])(socket, path.slice(1)).catch(() => socket.destroy());
  });
}).listen(process.env.PORT);
`;
