import { redirect, type ParsedLocation } from '@tanstack/react-router'
import { addMessages } from '../../ui/i18n/locale.ts'

const taken = new Map<string, string>()

/**
 * Loads the page of a mailed link. Its token is in the URL's hash, which no server sees; it is
 * removed from the address bar and kept as long as the page, so a reload loses it.
 */
export async function openMailedLink({ location }: { location: ParsedLocation }) {
  await addMessages('sign-in')
  const { pathname, hash } = location
  if (hash !== '') {
    taken.set(pathname, hash)
    throw redirect({ href: pathname, replace: true })
  }
  return { linkToken: taken.get(pathname) }
}
