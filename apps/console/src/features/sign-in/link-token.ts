import { redirect, type ParsedLocation } from '@tanstack/react-router'

const taken = new Map<string, string>()

/**
 * Takes the token of a mailed link out of the address bar, where it stands behind `#`, which no
 * server sees. It is kept as long as the page: history, bookmarks and a reload have it no more.
 */
export function takeLinkToken({ location }: { location: ParsedLocation }) {
  const { pathname, hash } = location
  if (hash !== '') {
    taken.set(pathname, hash)
    throw redirect({ href: pathname, replace: true })
  }
  return { linkToken: taken.get(pathname) }
}
