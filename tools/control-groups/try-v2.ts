// Runs builds that exceed their limits under cgroups v2 (in try-v2.sh), and prints the outcomes.
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';

// try-v2.sh copies this file next to dist.
const product = (path: string) => import(new URL(`dist/${path}`, import.meta.url).href);
const { Bubblewrap }: typeof import('../../src/sandbox/bubblewrap/bubblewrap.engine.js') = await product(
  'sandbox/bubblewrap/bubblewrap.engine.js',
);
const { SandboxBuilder }: typeof import('../../src/sandbox/sandbox-builder.js') =
  await product('sandbox/sandbox-builder.js');

const MIB = 1_048_576;
const limits = { memoryBytes: 256 * MIB, processes: 64, diskBytes: 32 * MIB, diskFiles: 1_000 };
const patience = () => AbortSignal.timeout(240_000);

let wrong = 0;
function expect(what: string, got: unknown, wanted: unknown): void {
  const isRight = JSON.stringify(got) === JSON.stringify(wanted);
  if (!isRight) wrong++;
  console.log(
    `${isRight ? 'ok   ' : 'WRONG'} ${what}: ${JSON.stringify(got)}${isRight ? '' : `, not ${JSON.stringify(wanted)}`}`,
  );
}

// Imitates a systemd service: its own cgroup, with another process in it.
const service = '/sys/fs/cgroup/stele.service';
await writeFile('/sys/fs/cgroup/cgroup.subtree_control', '+memory +pids +cpu');
await mkdir(service);
await writeFile(`${service}/cgroup.procs`, String(process.pid));
const neighbour = spawn('sleep', ['1000']);

const builder = new SandboxBuilder([new Bubblewrap()], {
  folder: '/tmp/builds',
  hosts: new Map(),
  lookup: async () => [],
});
await builder.start({}, new AbortController().signal);
expect('builds are made', await builder.tried(), null);
expect(
  'groups of builds',
  (await readdir(service, { withFileTypes: true }))
    .filter((each) => each.isDirectory())
    .map(({ name }) => name)
    .sort(),
  ['stele-builds', 'stele-service'],
);
expect('the service is in', (await readFile('/proc/self/cgroup', 'utf8')).trim(), '0::/stele.service/stele-service');
expect(
  'its neighbour is in',
  (await readFile(`/proc/${neighbour.pid}/cgroup`, 'utf8')).trim(),
  '0::/stele.service/stele-service',
);
neighbour.kill();

async function run(script: string) {
  const room = await builder.open(limits, () => undefined);
  const [group] = await groups();
  const said: Uint8Array[] = [];
  try {
    const listen = async (_: unknown, bytes: Uint8Array) => void said.push(bytes);
    const end = await room.run({ script, folder: '.', tools: [], env: {} }, listen, patience());
    return { ...end, said: Buffer.concat(said).toString().trim().slice(0, 200), left: await left(group) };
  } finally {
    await room.close();
  }
}
const groups = async () =>
  (await readdir(`${service}/stele-builds`, { withFileTypes: true }))
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);
const left = async (group: string | undefined) =>
  (await readFile(`${service}/stele-builds/${group}/cgroup.procs`, 'utf8')).trim();

const plain = await run('echo built');
expect('a plain build', [plain.exitCode, plain.exceeded, plain.said], [0, null, 'built']);
const hog = await run('node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"');
expect('memory', [hog.exitCode, hog.exceeded], [137, { what: 'memory', limit: '256 MiB' }]);
const bomb = await run("perl -e 'while (1) { defined(my $pid = fork) or exit 7; $pid or sleep 600 }'");
expect('processes', [bomb.exitCode, bomb.exceeded, bomb.left], [7, { what: 'processes', limit: '64' }, '']);
const survivors = await run('for n in 1 2 3; do setsid sh -c "sleep 600 & sleep 600" & done; exit 0');
expect('what a build leaves running', [survivors.exitCode, survivors.left], [0, '']);
expect('groups that are left', await groups(), []);
console.log(wrong === 0 ? 'All checks passed.' : `${wrong} of the checks failed.`);
process.exit(wrong === 0 ? 0 : 1);
