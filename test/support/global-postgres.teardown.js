import { stopPostgres } from './global-postgres.js';

export default stopPostgres;
