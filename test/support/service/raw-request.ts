import { request } from 'node:http';

export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

/** Sends requests with exactly these headers. Responses are not decompressed, and redirects are not followed. */
export function rawRequestsTo(port: number, host: string) {
  return (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
    body = '',
  ): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers: { host, ...headers } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers as RawAnswer['headers'],
            body: Buffer.concat(pieces),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
}
