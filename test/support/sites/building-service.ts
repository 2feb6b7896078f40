import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { program, type Stele, startStele, temporaryFolder } from '../service/stele.js';
import { GitHost, type Tree } from './git-host.js';
import { eventsOf, jobOver, linesOf } from './jobs.js';

/**
 * Hosts that builds can reach. They are listed explicitly because in tests, the registries may be mirrors on a private
 * network.
 */
const REGISTRIES = 'registry.npmjs.org,registry.yarnpkg.com';

/**
 * Returns a command that runs the service as another user. Its process limit is lower than that of a build, as on many
 * servers.
 */
function asUser(id: number): readonly [string, ...string[]] {
  const become = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--'];
  return ['prlimit', '--nproc=3000', '--', ...become, ...program];
}

/** A service that builds in bubblewrap, with a host for the repositories. */
export class BuildingService {
  private constructor(
    readonly stele: Stele,
    readonly host: GitHost,
    private readonly removeFolder: () => Promise<void>,
  ) {}

  /** Starts the service. With `as`, it runs as the user and group with this ID, which requires root. */
  static async start(env: Record<string, string> = {}, as?: number): Promise<BuildingService> {
    const host = await GitHost.open();
    const temporary = await temporaryFolder('builds');
    const folder = as === undefined ? temporary.folder : join(temporary.folder, deepBelow(temporary.folder));
    const own = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'bubblewrap', STELE_BUILD_HOSTS: REGISTRIES };
    if (as !== undefined) {
      await mkdir(folder);
      await chown(folder, as, as);
    }
    const command = as === undefined ? program : asUser(as);
    return new BuildingService(await startStele({ folder, env: { ...own, ...env }, command }), host, temporary.remove);
  }

  /**
   * Commits the tree, deploys it and waits for the job. `asked` contains further members of the request. If it has a
   * slug and either `editToken` or `bearer` (the headers of a session), it redeploys that site.
   */
  async build(name: string, tree: Tree, asked: Record<string, unknown> = {}, withinMs = 120_000) {
    const commit = this.host.commit(name, tree);
    const { editToken, bearer, ...body } = asked;
    const headers = {
      ...(typeof editToken === 'string' && { 'x-svc-edit-token': editToken }),
      ...(bearer as Record<string, string> | undefined),
    };
    const { body: begun } = await this.stele.api
      .post('/v1/repo/deploy')
      .set(headers)
      .send({ url: this.host.url(name), ...body })
      .expect(200);
    const job = await jobOver(this.stele, begun.jobId, headers, withinMs);
    const lines = linesOf(await eventsOf(this.stele, begun.jobId)).map(({ text }) => text);
    const slug: string = begun.slug;
    return { job, lines, commit, slug, editToken: begun.editToken, site: (path = '/') => this.stele.visit(slug, path) };
  }

  async stop(): Promise<void> {
    await this.stele.stop();
    await this.host.close();
    await this.removeFolder();
  }
}

/**
 * Returns a folder name that makes the path of the data folder long. Its length is limited only by PostgreSQL's socket,
 * whose path can have 107 bytes.
 */
const deepBelow = (folder: string) => 'deep-'.repeat(14).slice(0, 70 - folder.length);
