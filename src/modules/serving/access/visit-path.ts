/** Path of the page that redirects members to a site, after they have signed in if necessary. */
export const VISIT = '/visit';
