import { zipOf } from '../content/archives.js';
import { bytesLike, digestOf } from '../content/uploads.js';
import { verb } from '../faults/points/verb.js';
import type { World } from '../faults/points/world.js';
import { EDIT, everybody, type Operation, READ } from './operation.js';
import { freeName, nobodysSite, somebody, theirSite } from './starting-points.js';

const page = (mark: string) => ({
  files: [
    { path: 'index.html', content: `<h1>second of ${mark}</h1>` },
    { path: 'a.css', content: `/* ${mark} */` },
  ],
});

/**
 * Enough files that the service writes their rows to the database during the fsync (`manyFrom` in
 * src/storage/blobs/packs/pack-intake.ts).
 */
const manyFiles = (mark: string) => [
  ...page(mark).files,
  ...Array.from({ length: 64 }, (_, n) => ({ path: `${n}.txt`, content: `${n} of ${mark}` })),
];

const KIBIBYTE = 1024;
/** Size of the part that is uploaded first, in bytes. */
const FIRST = 20 * KIBIBYTE;

async function unsentContent(world: World) {
  const given = await somebody(world);
  const bytes = bytesLike(48 * KIBIBYTE);
  const sha256 = digestOf(bytes);
  const files = [{ path: 'a.bin', size: bytes.length, sha256 }];
  await world.api.post('/v1/cli/preflight').set(given.by).send({ files }).expect(200);
  return { ...given, bytes, sha256, headers: given.by };
}
type Unsent = Awaited<ReturnType<typeof unsentContent>>;

const OCTETS = { 'content-type': 'application/octet-stream' };

const lookAtUpload = async (world: World, { sha256, headers }: Unsent) => {
  const { status, headers: told } = await world.api.head(`/v1/uploads/${sha256}`).set(headers);
  return [status, told['upload-offset'], told['upload-complete']];
};

const firstPart = (world: World, { sha256, bytes, headers }: Unsent) =>
  world.api
    .put(`/v1/uploads/${sha256}`)
    .set({ ...OCTETS, ...headers, 'upload-length': String(bytes.length), 'upload-complete': '?0' })
    .send(bytes.subarray(0, FIRST));

export const deploying: readonly Operation[] = [
  {
    operation: 'POST /v1/cli/preflight',
    statuses: everybody(200),
    hidden: everybody(200),
    body: ({ slug }) => ({ slug, files: [{ path: 'index.html', size: 1, sha256: '0'.repeat(64) }] }),
    writesNothing: 'A preflight checks which content exists, and issues a signed token.',
  },
  {
    operation: 'GET /v1/sites/{slug}/deploys',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/deploys/diff',
    statuses: READ,
    query: ({ deployId }) => ({ from: deployId, to: deployId }),
  },
  {
    operation: 'GET /v1/sites/{slug}/deploys/{deployId}/manifest',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/deploys/{deployId}/provenance',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/files',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/files.zip',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/files/{path}',
    statuses: READ,
  },
  {
    operation: 'HEAD /v1/uploads/{sha256}',
    elsewhere: 'The request needs the token of a preflight.',
  },
  {
    operation: 'POST /v1/deploy',
    // Anyone may learn that a name is taken, even if the site is private.
    statuses: [409, 409, 403, 200, 200, 200],
    hidden: [409, 409, 403, 200, 200, 200],
    query: ({ slug }) => ({ slug }),
    headers: { 'content-type': 'text/html' },
    body: () => '<h1>Again</h1>',
    ifMatch: { dependsOn: 'content', body: ({ once }) => `<p>${once}</p>` },
    verbs: [
      verb({
        way: 'a new site of nobody’s',
        prepare: async (world) => {
          const mark = world.mark();
          return { mark, slug: `site-${mark}` };
        },
        ask: ({ api }, { mark, slug }) => api.post(`/v1/deploy?slug=${slug}`).send(page(mark)),
      }),
      verb({
        way: 'a new site of somebody’s',
        prepare: freeName,
        ask: ({ api }, { mark, slug, by }) => api.post(`/v1/deploy?slug=${slug}`).set(by).send(page(mark)),
      }),
      verb({
        way: 'a zip',
        prepare: freeName,
        ask: ({ api }, { mark, slug, by }) =>
          api
            .post(`/v1/deploy?slug=${slug}`)
            .set(by)
            .type('application/zip')
            .send(zipOf(page(mark).files)),
      }),
      verb({
        way: 'of many files',
        prepare: freeName,
        ask: ({ api }, { mark, slug, by }) =>
          api
            .post(`/v1/deploy?slug=${slug}`)
            .set(by)
            .send({ files: manyFiles(mark) }),
      }),
    ],
  },
  {
    operation: 'PATCH /v1/deploy',
    statuses: EDIT,
    query: ({ slug }) => ({ slug }),
    headers: { 'content-type': 'text/html' },
    body: () => '<h1>Again</h1>',
    ifMatch: { dependsOn: 'content', body: ({ once }) => `<p>${once}</p>` },
    verbs: [
      verb({
        way: 'by an access token, for the first time',
        between: 'The use of the access token is recorded even if the deploy fails.',
        prepare: async (world) => {
          const given = await theirSite(world);
          const made = { name: 'ci', role: 'editor' };
          const { body } = await world.api.post(`/v1/sites/${given.slug}/tokens`).set(given.by).send(made).expect(201);
          return { ...given, token: `Bearer ${body.token}` };
        },
        ask: ({ api }, { mark, slug, token }) =>
          api.patch(`/v1/deploy?slug=${slug}`).set('authorization', token).send(page(mark)),
      }),
      verb({
        way: 'by its owner',
        prepare: theirSite,
        ask: ({ api }, { mark, slug, by }) => api.patch(`/v1/deploy?slug=${slug}`).set(by).send(page(mark)),
      }),
      verb({
        way: 'by its edit token',
        prepare: nobodysSite,
        ask: ({ api }, { mark, slug, editToken }) =>
          api.patch(`/v1/deploy?slug=${slug}`).set('x-svc-edit-token', editToken).send(page(mark)),
      }),
    ],
  },
  {
    operation: 'POST /v1/deploy/prepared',
    statuses: [409, 409, 403, 201, 201, 201],
    hidden: [409, 409, 403, 201, 201, 201],
    query: ({ slug }) => ({ slug }),
    verbs: [
      verb({
        prepare: theirSite,
        again: 'another',
      }),
    ],
  },
  {
    operation: 'PUT /v1/deploy/prepared',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          const { body } = await world.api.post(`/v1/deploy/prepared?slug=${given.slug}`).set(given.by).expect(201);
          return { ...given, path: `/v1/deploy/prepared${new URL(body.uploadUrl).search}` };
        },
        ask: ({ api }, { mark, path }) => api.put(path).send(page(mark)),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/rollback',
    statuses: EDIT,
    body: ({ deployId }) => ({ deployId }),
    ifMatch: {
      dependsOn: 'content',
      body: ({ deployId, liveDeployId }) => ({ number: liveDeployId === deployId ? 2 : 1 }),
    },
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          await world.api.patch(`/v1/deploy?slug=${given.slug}`).set(given.by).send(page(given.mark)).expect(200);
          return given;
        },
      }),
    ],
  },
  {
    operation: 'PUT /v1/uploads/{sha256}',
    elsewhere: 'The request needs the token of a preflight.',
    verbs: [
      verb({
        way: 'a first part',
        between: 'The pending upload is reserved before its content is stored.',
        prepare: unsentContent,
        look: (world, given) => lookAtUpload(world, given),
        ask: firstPart,
      }),
      verb({
        way: 'whole',
        between: 'The pending upload is reserved before its content is stored.',
        prepare: unsentContent,
        look: (world, given) => lookAtUpload(world, given),
        ask: ({ api }, { sha256, bytes, headers }) =>
          api
            .put(`/v1/uploads/${sha256}`)
            .set({ ...OCTETS, ...headers, 'upload-complete': '?1' })
            .send(bytes),
      }),
    ],
  },
  {
    operation: 'PATCH /v1/uploads/{sha256}',
    elsewhere: 'The request needs the token of a preflight.',
    verbs: [
      verb({
        between: 'The content is stored before the upload is marked as complete.',
        prepare: async (world) => {
          const given = await unsentContent(world);
          await firstPart(world, given);
          return { ...given, rest: { from: FIRST } };
        },
        // A client that got no response first requests the offset, and then continues the upload there.
        settled: async ({ api }, { sha256, headers, rest }) => {
          const { headers: told } = await api.head(`/v1/uploads/${sha256}`).set(headers);
          rest.from = Number(told['upload-offset'] ?? rest.from);
        },
        look: (world, given) => lookAtUpload(world, given),
        ask: ({ api }, { sha256, bytes, headers, rest }) =>
          api
            .patch(`/v1/uploads/${sha256}`)
            .set({
              ...headers,
              'content-type': 'application/partial-upload',
              'upload-offset': String(rest.from),
              'upload-complete': '?1',
            })
            .send(bytes.subarray(rest.from)),
      }),
    ],
  },
  {
    operation: 'DELETE /v1/uploads/{sha256}',
    elsewhere: 'The request needs the token of a preflight.',
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await unsentContent(world);
          await firstPart(world, given);
          return given;
        },
        look: (world, given) => lookAtUpload(world, given),
        ask: ({ api }, { sha256, headers }) => api.delete(`/v1/uploads/${sha256}`).set(headers),
      }),
    ],
  },
];
