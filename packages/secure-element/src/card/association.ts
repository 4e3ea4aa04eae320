import { toHex } from '../bytes.ts'
import type { CardState } from './card-state.ts'
import { applicationOf, isBelow, isDomain, manages } from './domains.ts'
import { aidOf, noReceipt, type InstallFields } from './install-fields.ts'
import { grantable } from './install-application.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

/** A valid target: a domain that is neither locked nor inside the object that moves. */
function newDomainOf(state: CardState, aid: string, bytes: Uint8Array): string {
  const domainAid = toHex(bytes)
  if (!isDomain(state, domainAid)) return refuse('missingReference')
  const isLocked = (applicationOf(state, domainAid)?.lifeCycle ?? 0) >= 0x80
  if (isLocked || aid === domainAid || isBelow(state, domainAid, aid)) return refuse('notNow')
  return domainAid
}

/** INSTALL [for extradition]: an application, a domain or a load file moves to another domain. */
export function extradite(
  { state, session, write }: CardContext,
  { first, third }: InstallFields,
): Uint8Array {
  const aid = aidOf(third)
  const file = state.loadFiles.find((each) => each.aid === aid && !each.isFactory)
  if (!file && !applicationOf(state, aid)) return refuse('missingReference')
  const domainAid = newDomainOf(state, aid, first)
  const isOwn = file
    ? file.domainAid === session.selected || manages(state, session.selected, file.domainAid)
    : manages(state, session.selected, aid)
  if (!isOwn) return refuse('notNow')
  write((next) => {
    const moved = applicationOf(next, aid) ?? next.loadFiles.find((each) => each.aid === aid)
    if (moved) moved.domainAid = domainAid
  })
  return noReceipt
}

/** INSTALL [for registry update]: other privileges, another domain, or both. */
export function updateRegistry(
  { state, session, write }: CardContext,
  { first, third, privileges: bytes }: InstallFields,
): Uint8Array {
  const aid = aidOf(third)
  const found = applicationOf(state, aid) ?? refuse('missingReference')
  if (!manages(state, session.selected, aid)) return refuse('notNow')
  const privileges = bytes.length === 0 ? found.privileges : grantable(state, aid, bytes)
  // Being a domain is fixed at installation.
  const isDomainStill = privileges.includes('securityDomain') === (found.domain !== undefined)
  if (!isDomainStill) return refuse('wrongData')
  const domainAid = first.length === 0 ? found.domainAid : newDomainOf(state, aid, first)
  write((next) => {
    const changed = applicationOf(next, aid)
    if (changed) Object.assign(changed, { privileges, domainAid })
  })
  return noReceipt
}
