import { zipOf } from '../../content/archives.js';
import { bytesLike, digestOf } from '../../content/uploads.js';
import { type Verb, verb } from '../points/verb.js';
import type { World } from '../points/world.js';
import { freeName, nobodysSite, somebody, theirSite } from './starting-points.js';

const page = (mark: string) => ({
  files: [
    { path: 'index.html', content: `<h1>second of ${mark}</h1>` },
    { path: 'a.css', content: `/* ${mark} */` },
  ],
});

/**
 * Enough files for the batch size from which rows are written during the fsync (`manyFrom` in
 * src/storage/blobs/packs).
 */
const manyFiles = (mark: string) => [
  ...page(mark).files,
  ...Array.from({ length: 64 }, (_, n) => ({ path: `${n}.txt`, content: `${n} of ${mark}` })),
];

const KIBIBYTE = 1024;
/** Size of the first part in bytes. */
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

export const deploying: readonly Verb[] = [
  verb({
    operation: 'POST /v1/deploy',
    way: 'a new site of nobody’s',
    prepare: async (world) => {
      const mark = world.mark();
      return { mark, slug: `site-${mark}` };
    },
    ask: ({ api }, { mark, slug }) => api.post(`/v1/deploy?slug=${slug}`).send(page(mark)),
  }),
  verb({
    operation: 'POST /v1/deploy',
    way: 'a new site of somebody’s',
    prepare: freeName,
    ask: ({ api }, { mark, slug, by }) => api.post(`/v1/deploy?slug=${slug}`).set(by).send(page(mark)),
  }),
  verb({
    operation: 'POST /v1/deploy',
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
    operation: 'POST /v1/deploy',
    way: 'of many files',
    prepare: freeName,
    ask: ({ api }, { mark, slug, by }) =>
      api
        .post(`/v1/deploy?slug=${slug}`)
        .set(by)
        .send({ files: manyFiles(mark) }),
  }),
  verb({
    operation: 'PATCH /v1/deploy',
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
    operation: 'PATCH /v1/deploy',
    way: 'by its owner',
    prepare: theirSite,
    ask: ({ api }, { mark, slug, by }) => api.patch(`/v1/deploy?slug=${slug}`).set(by).send(page(mark)),
  }),
  verb({
    operation: 'PATCH /v1/deploy',
    way: 'by its edit token',
    prepare: nobodysSite,
    ask: ({ api }, { mark, slug, editToken }) =>
      api.patch(`/v1/deploy?slug=${slug}`).set('x-svc-edit-token', editToken).send(page(mark)),
  }),
  verb({
    operation: 'POST /v1/deploy/prepared',
    prepare: theirSite,
    ask: ({ api }, { slug, by }) => api.post(`/v1/deploy/prepared?slug=${slug}`).set(by),
    again: 'another',
  }),
  verb({
    operation: 'PUT /v1/deploy/prepared',
    prepare: async (world) => {
      const given = await theirSite(world);
      const { body } = await world.api.post(`/v1/deploy/prepared?slug=${given.slug}`).set(given.by).expect(201);
      return { ...given, path: `/v1/deploy/prepared${new URL(body.uploadUrl).search}` };
    },
    ask: ({ api }, { mark, path }) => api.put(path).send(page(mark)),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/rollback',
    prepare: async (world) => {
      const given = await theirSite(world);
      await world.api.patch(`/v1/deploy?slug=${given.slug}`).set(given.by).send(page(given.mark)).expect(200);
      return given;
    },
    ask: ({ api }, { slug, deployId, by }) => api.post(`/v1/sites/${slug}/rollback`).set(by).send({ deployId }),
  }),
  verb({
    operation: 'PUT /v1/uploads/{sha256}',
    way: 'a first part',
    between: 'The pending upload is reserved before its content is stored.',
    prepare: unsentContent,
    look: (world, given) => lookAtUpload(world, given),
    ask: firstPart,
  }),
  verb({
    operation: 'PUT /v1/uploads/{sha256}',
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
  verb({
    operation: 'PATCH /v1/uploads/{sha256}',
    between: 'The content is stored before the upload is marked as complete.',
    prepare: async (world) => {
      const given = await unsentContent(world);
      await firstPart(world, given);
      return { ...given, rest: { from: FIRST } };
    },
    // A client that got no response first requests the offset.
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
  verb({
    operation: 'DELETE /v1/uploads/{sha256}',
    prepare: async (world) => {
      const given = await unsentContent(world);
      await firstPart(world, given);
      return given;
    },
    look: (world, given) => lookAtUpload(world, given),
    ask: ({ api }, { sha256, headers }) => api.delete(`/v1/uploads/${sha256}`).set(headers),
  }),
];
