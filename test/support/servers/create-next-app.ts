import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import type { Tree } from '../sites/git-host.js';

const run = promisify(execFile);

const WANTED = ['--ts', '--app', '--no-eslint', '--no-tailwind', '--no-src-dir', '--import-alias', '@/*'];
const QUIET = ['--use-npm', '--skip-install', '--disable-git', '--yes'];

export async function createNextApp(folder: string): Promise<void> {
  await run('npx', ['--yes', 'create-next-app@latest', 'app', ...WANTED, ...QUIET], { cwd: folder });
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts', 'ws@8'], { cwd: join(folder, 'app') });
}

export async function treeOf(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** Typical additions of a developer. Removes the template's fonts, because tests can't reach their host. */
export const additions = (version: string): Tree => ({
  'app/layout.tsx': `import "./globals.css";
    export default function RootLayout({ children }: { children: React.ReactNode }) {
      return <html lang="en" data-version="${version}"><body>{children}</body></html>;
    }`,
  'app/action/greet.ts': `'use server';
    export async function greet(_: string, data: FormData) { return 'Hello ' + data.get('name') + ' from ${version}'; }`,
  'app/action/page.tsx': `'use client';
    import { useActionState } from 'react';
    import { greet } from './greet';
    export default function Page() {
      const [said, action] = useActionState(greet, '');
      return <form action={action}><input name="name" /><button>Greet</button><output>{said}</output></form>;
    }`,
  'app/streamed/page.tsx': `import { Suspense } from 'react';
    import { connection } from 'next/server';
    async function Late() {
      await connection();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return <p id="late">late</p>;
    }
    export default function Page() {
      return <main><p id="early">early</p><Suspense fallback={<p id="waiting">waiting</p>}><Late /></Suspense></main>;
    }`,
  'app/picture/page.tsx': `import Image from 'next/image';
    export default function Page() { return <Image src="/picture.png" alt="A picture" width={256} height={256} priority />; }`,
  'public/picture.png': picture(512),
});

/** Adds a custom server with WebSockets at `/talk`, in a container. */
export const inContainer = (base: string): Tree => ({
  'server.mjs': `import { createServer } from 'node:http';
    import next from 'next';
    import { WebSocketServer } from 'ws';
    const app = next({ dev: false, port: Number(process.env.PORT) });
    await app.prepare();
    const answer = app.getRequestHandler();
    const sockets = new WebSocketServer({ noServer: true });
    createServer((request, response) => answer(request, response)).on('upgrade', (request, socket, head) => {
      if (request.url !== '/talk') return socket.destroy();
      sockets.handleUpgrade(request, socket, head, (client) => client.on('message', (text) => client.send('echo ' + text)));
    }).listen(process.env.PORT);`,
  'app/talking/page.tsx': `'use client';
    import { useEffect, useState } from 'react';
    export default function Page() {
      const [heard, hear] = useState('');
      useEffect(() => {
        const socket = new WebSocket(location.origin.replace('http', 'ws') + '/talk');
        socket.onopen = () => socket.send('hello');
        socket.onmessage = ({ data }) => hear(String(data));
        return () => socket.close();
      }, []);
      return <output>{heard}</output>;
    }`,
  Dockerfile: `FROM ${base} AS build
WORKDIR /app
COPY . .
RUN node node_modules/next/dist/bin/next build
RUN rm -rf node_modules/@next/swc-* node_modules/typescript node_modules/@img next.config.ts
RUN echo 'export default { cacheComponents: true, images: { unoptimized: true } };' > next.config.mjs
FROM ${base}-empty
WORKDIR /app
COPY --from=build /app /app
ENV NODE_ENV=production
VOLUME /app/.next/cache
EXPOSE 8080
CMD ["/bin/node", "server.mjs"]
`,
});

function picture(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: side }, (_, n) => n % 256))]);
  const rows = Buffer.concat(Array.from({ length: side }, () => row));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
