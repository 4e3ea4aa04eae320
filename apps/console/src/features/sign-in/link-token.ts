import { redirect, type ParsedLocation } from '@tanstack/react-router'
import { addMessages } from '../../ui/i18n/locale.ts'

const taken = new Map<string, string>()

/**
 * Opens the page of a mailed link. Its token is taken out of the address bar, where it stands behind
 * `#`, which no server sees, and kept as long as the page: a reload has it no more.
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
