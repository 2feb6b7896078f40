/** The page of the service that sends members on to a site of theirs, after sign-in where that is needed. */
export const VISIT = '/visit';
