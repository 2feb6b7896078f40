import { offerPostgres } from './global-postgres.js';

export default offerPostgres;
