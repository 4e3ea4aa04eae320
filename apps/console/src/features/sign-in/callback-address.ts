const page = '/login/callback'

/**
 * The address that an identity provider came back to. Read before the router, which drops what it
 * does not know, and taken out of the address bar: its code is meant for nobody else.
 */
export const callbackAddress = takeAddress()

function takeAddress(): string {
  const { href, pathname, search } = location
  if (pathname === page && search !== '') history.replaceState(null, '', page)
  return href
}
