// Deploys a folder from a program. Usage: deploy-folder INSTANCE FOLDER SITE, with an access token in STELE_TOKEN.
import { Stele } from 'stele-api/client';
import { deploy } from 'stele-api/deploy/deploy';
import { ProblemError } from 'stele-api/problem';

const [instance = '', folder = '', site] = process.argv.slice(2);
const { STELE_TOKEN: token } = process.env;
const stele = new Stele({
  instance,
  client: 'deploy-folder/1',
  ...(token && { credential: { kind: 'bearer', token } }),
});

try {
  const { url, number, sent } = await deploy(stele, folder, { site, create: true, message: 'From a program' });
  console.log(JSON.stringify({ url, number, sent }));
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.log(JSON.stringify({ code: error.code, status: error.status }));
  process.exitCode = 1;
}
