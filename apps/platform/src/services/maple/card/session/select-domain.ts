import type { ElementSession } from './element-session.ts'
import { SessionError } from './session-error.ts'

/** Selected, possibly locked. */
const selected = new Set([0x9000, 0x6283])

type Domain = string | null | undefined

/**
 * Selects a security domain by its AID, or the issuer's. False if the card has no such domain: then
 * the previous selection remains, and must not get what is meant for the domain.
 */
export async function isSelectable(
  session: Pick<ElementSession, 'select'>,
  domain: Domain,
): Promise<boolean> {
  const { statusWord } = await session.select(domain ?? undefined)
  return !domain || selected.has(statusWord)
}

/** @throws SessionError `not_sent` if the card has no such domain. */
export async function selectDomain(
  session: Pick<ElementSession, 'select'>,
  domain: Domain,
): Promise<void> {
  if (await isSelectable(session, domain)) return
  throw new SessionError(
    'not_sent',
    `The card has no security domain ${domain ?? ''}. Read the card on the page of its element.`,
  )
}
