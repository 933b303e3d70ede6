/** Where the client of a login comes from: in help, and before it is asked for. */
export const CLIENT_NOTE =
  'Create a personal client in the API client section of https://mangadex.org/settings. Its approval may take a while; then the section shows its id and its secret.';
