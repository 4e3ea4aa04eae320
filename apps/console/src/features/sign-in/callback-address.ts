const page = '/login/callback'

/**
 * The URL that an identity provider redirected to. It is read before the router drops unknown
 * parameters, and removed from the address bar: its code is secret.
 */
export const callbackAddress = takeAddress()

function takeAddress(): string {
  const { href, pathname, search } = location
  if (pathname === page && search !== '') history.replaceState(null, '', page)
  return href
}
