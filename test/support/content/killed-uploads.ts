import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Stele, startStele } from '../service/stele.js';
import { digestOf, offsetOf, upload } from './uploads.js';

const MEBIBYTE = 1_048_576;

export type KilledUploads = {
  readonly folder: string;
  readonly mebibytes: number;
  readonly files: number;
  readonly kills: number;
};

export type KilledUploadsOutcome = {
  readonly kills: number;
  /** Total number of bytes that the client sent for the large file. */
  readonly sent: number;
  /** Offsets of the large file that the service reported, one after each start. */
  readonly offsets: readonly number[];
  /**
   * Number of restarts after which the service reported a lower offset for the large file than just before the kill.
   */
  readonly forgotten: number;
  /** Maximum number of bytes that the client had to send again after a restart. */
  readonly again: number;
  /** Codes of refusals of the large file, such as `storage_full`. */
  readonly refused: readonly string[];
  /** Number of acknowledged files that were missing after a kill. */
  readonly lost: number;
  /** Number of small files sent, including repetitions. */
  readonly filesSent: number;
  /** Peak memory of a service process, in bytes. */
  readonly memory: number;
  /** Whether the resulting site contains every file unchanged. */
  readonly isWhole: boolean;
};

/** Returns how many bytes of a connection the kernel buffers at both ends (Linux). */
export async function kernelBuffers(): Promise<number> {
  const most = async (name: string) =>
    Number((await readFile(`/proc/sys/net/ipv4/${name}`, 'utf8').catch(() => '0 0 8388608')).trim().split(/\s+/)[2]);
  return (await most('tcp_rmem')) + (await most('tcp_wmem'));
}

const chunkOf = (n: number) => Buffer.alloc(MEBIBYTE, createHash('sha256').update(`chunk ${n}`).digest());

function* bytesFrom(offset: number, mebibytes: number): Generator<Buffer> {
  for (let n = Math.floor(offset / MEBIBYTE); n < mebibytes; n++)
    yield chunkOf(n).subarray(Math.max(0, offset - n * MEBIBYTE));
}

/** Uploads a large file and many small ones while the service is killed repeatedly, then creates a site with them. */
export async function sendThroughKills({
  folder,
  mebibytes,
  files,
  kills,
}: KilledUploads): Promise<KilledUploadsOutcome> {
  const size = mebibytes * MEBIBYTE;
  const hash = createHash('sha256');
  for (const chunk of bytesFrom(0, mebibytes)) hash.update(chunk);
  const large = hash.digest('hex');
  const small = Array.from({ length: files }, (_, n) => Buffer.from(`file ${n} `.repeat(100)));
  const entries = [
    { path: 'large.bin', size, sha256: large },
    ...small.map((bytes, n) => ({ path: `f/${n}.txt`, size: bytes.length, sha256: digestOf(bytes) })),
  ];
  const env = {
    STELE_MAX_FILE_BYTES: String(size),
    STELE_ANONYMOUS_MAX_BYTES: String(size + files * 10_000),
    STELE_ANONYMOUS_MAX_FILES: String(files + 1),
  };
  const start = () => startStele({ folder: join(folder, 'data'), env });
  let stele = await start();
  const preflight = async (headers: Record<string, string>) =>
    (await stele.api.post('/v1/cli/preflight').set(headers).send({ files: entries }).expect(200)).body as {
      missing: string[];
      uploadToken: string;
    };
  const headers = { 'x-svc-upload-token': (await preflight({})).uploadToken };

  const acknowledged = new Set<string>();
  const offsets: number[] = [];
  const refused: string[] = [];
  let [sent, furthest, filesSent, lost, memory, killed] = [0, 0, 0, 0, 0, 0];
  let [forgotten, again, arrived, reached] = [0, 0, 0, 0];
  for (let isLargeWhole = false; !isLargeWhole || acknowledged.size < files; ) {
    const { missing } = await preflight(headers);
    lost += missing.filter((sha256) => acknowledged.has(sha256)).length;
    const round = new AbortController();
    /** Ends the round by killing the service when the upload has reached the next of several evenly spaced points. */
    const progressed = async () => {
      const done = (acknowledged.size / files + furthest / size) / 2;
      if (round.signal.aborted || killed === kills || done < (killed + 1) / (kills + 1)) return;
      round.abort();
      killed++;
      arrived = (await offsetOf(stele.base, large, headers)) ?? 0;
      memory = Math.max(memory, await peakOf(stele));
      await stele.stop('SIGKILL');
    };

    const sendLarge = async () => {
      if (isLargeWhole) return;
      const from = await offsetOf(stele.base, large, headers);
      if (round.signal.aborted) return;
      offsets.push(from ?? 0);
      if ((from ?? 0) < arrived) forgotten++;
      if (reached > 0) again = Math.max(again, reached - (from ?? 0));
      reached = from ?? 0;
      const body = countedFrom(from ?? 0);
      const length = { ...headers, 'content-length': size - (from ?? 0) };
      const answer =
        from === null
          ? await upload(stele.base, large, { headers: length, body })
          : await upload(stele.base, large, {
              method: 'PATCH',
              headers: {
                ...length,
                'content-type': 'application/partial-upload',
                'upload-offset': from,
                'upload-complete': '?1',
              },
              body,
            });
      isLargeWhole = answer?.status === 201 || answer?.status === 200;
      if (answer && !isLargeWhole) refused.push(String(answer.body.code ?? answer.status));
    };
    async function* countedFrom(from: number): AsyncGenerator<Buffer> {
      let at = from;
      for (const chunk of bytesFrom(from, mebibytes)) {
        yield chunk;
        sent += chunk.length;
        at += chunk.length;
        reached = at;
        furthest = Math.max(furthest, at);
        await progressed();
      }
    }

    const queue = small.filter((bytes) => !acknowledged.has(digestOf(bytes)));
    const sendSmall = async () => {
      for (let bytes = queue.pop(); bytes && !round.signal.aborted; bytes = queue.pop()) {
        filesSent++;
        const answer = await upload(stele.base, digestOf(bytes), {
          headers: { ...headers, 'content-length': bytes.length },
          body: bytes,
        });
        if (answer?.status !== 201 && answer?.status !== 200) return;
        acknowledged.add(digestOf(bytes));
        await progressed();
      }
    };
    await Promise.all([sendLarge(), ...Array.from({ length: 4 }, sendSmall)]);
    if (round.signal.aborted) stele = await start();
  }
  lost += (await preflight(headers)).missing.length;
  const isWhole = await isPublished(stele, headers, entries);
  memory = Math.max(memory, await peakOf(stele));
  await stele.stop();
  return { kills: killed, sent, offsets, forgotten, again, refused, lost, filesSent, memory, isWhole };
}

type Entry = { readonly path: string; readonly sha256: string };

async function isPublished(stele: Stele, headers: Record<string, string>, entries: readonly Entry[]): Promise<boolean> {
  const files = entries.map(({ path, sha256 }) => ({ path, sha256 }));
  const { body } = await stele.api.post('/v1/deploy').set(headers).send({ files }).expect(200);
  const hash = createHash('sha256');
  const url = `${stele.base}/v1/sites/${body.slug}/files/large.bin`;
  const response = await fetch(url, { headers: { 'x-svc-edit-token': body.editToken } });
  for await (const chunk of response.body ?? []) hash.update(chunk);
  return body.files === entries.length && hash.digest('hex') === entries[0]?.sha256;
}

async function peakOf({ child }: Stele): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
}
