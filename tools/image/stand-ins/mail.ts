// A mail server that accepts and discards every mail. Browsers get a page that says so.
import { createServer as http } from 'node:http';
import { createServer } from 'node:net';

createServer((socket) => {
  let isText = false;
  let rest = '';
  const say = (line: string) => socket.write(`${line}\r\n`);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    const lines = (rest + bytes).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (isText && line !== '.') continue;
      const command = line.slice(0, 4).toUpperCase();
      if (isText || command !== 'DATA') say(command === 'QUIT' ? '221 bye' : '250 yes');
      else say('354 go on');
      isText = !isText && command === 'DATA';
    }
  });
  say('220 mail');
}).listen(1025);
http((_request, response) => response.end('taken\n')).listen(8025);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit());
