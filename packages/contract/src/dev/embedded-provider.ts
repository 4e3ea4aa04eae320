/**
 * The OpenID provider that a platform on one's own machine serves itself. The development service
 * runs it and the authentication service is its client; neither imports the other.
 */
export const embeddedProvider = {
  id: 'sample',
  name: 'Sample identity',
  /** Where it is served, below the origin of the process. */
  path: '/dev/identity',
  clientId: 'grove',
  /** The purpose under which both derive the client secret from the platform's. */
  secretPurpose: 'embedded identity provider',
  role: 'DEVELOPER',
} as const
