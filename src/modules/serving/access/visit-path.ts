/** Where on the service somebody is asked who they are, on the way to a site that is for its members. */
export const VISIT = '/visit';
