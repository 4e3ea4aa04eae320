import type { Command } from '../apdu.ts'
import { toHex } from '../bytes.ts'
import { lifeCycleState, nextStates } from '../life-cycle.ts'
import type { PrivilegeName } from '../privileges.ts'
import { applicationOf, hasPrivilege, isBelow, manages } from './domains.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

const none = new Uint8Array()
const locked = 0x80

/** SET STATUS of the card, of an application, or of a domain with everything in it. */
export function setStatus(context: CardContext, command: Command): Uint8Array {
  switch (command.p1) {
    case 0x80:
      return setCard(context, command)
    case 0x40:
      return setApplication(context, command)
    case 0x60:
      return setDomain(context, command)
    default:
      return refuse('wrongParameters')
  }
}

/** The privilege that each card state requires: locking, unlocking and terminating have their own. */
function privilegeFor(from: number, to: number): PrivilegeName {
  if (to === 0xff) return 'cardTerminate'
  return from === 0x7f || to === 0x7f ? 'cardLock' : 'authorizedManagement'
}

function setCard({ state, session, write }: CardContext, { p2, data }: Command): Uint8Array {
  if (data.length > 0 && toHex(data) !== state.issuerAid) return refuse('missingReference')
  const now = lifeCycleState('card', state.lifeCycle) ?? refuse('notNow')
  const next = lifeCycleState('card', p2) ?? refuse('wrongData')
  if (!nextStates('card', now).includes(next)) return refuse('notNow')
  const privilege = privilegeFor(state.lifeCycle, p2)
  if (!hasPrivilege(state, session.selected, privilege)) return refuse('notNow')
  write((changed) => {
    changed.lifeCycle = p2
  })
  return none
}

/**
 * The state byte after locking or unlocking: a locked application remembers the state to return to.
 */
const after = (lifeCycle: number, isLocked: boolean) =>
  isLocked ? lifeCycle | locked : lifeCycle & 0x7f

function setApplication({ state, session, write }: CardContext, { p2, data }: Command): Uint8Array {
  const aid = toHex(data)
  const found = applicationOf(state, aid) ?? refuse('missingReference')
  const { selected } = session
  const isOwn = aid === selected || manages(state, selected, aid)
  if (!isOwn && !hasPrivilege(state, selected, 'globalLock')) return refuse('notNow')
  const { lifeCycle, domain } = found
  const isPersonalized = domain && lifeCycle === 0x07 && p2 === 0x0f
  const isLocked = lifeCycle >= locked
  if (p2 < locked && !isLocked && !isPersonalized) return refuse('notNow')
  // A selected domain could not unlock itself.
  if (p2 >= locked && aid === selected) return refuse('notNow')
  write((changed) => {
    const application = applicationOf(changed, aid)
    if (application) application.lifeCycle = isPersonalized ? p2 : after(lifeCycle, p2 >= locked)
  })
  return none
}

function setDomain({ state, session, write }: CardContext, { p2, data }: Command): Uint8Array {
  const aid = toHex(data)
  const found = applicationOf(state, aid) ?? refuse('missingReference')
  const { selected } = session
  if (!found.domain) return refuse('missingReference')
  const mayLock = manages(state, selected, aid) || hasPrivilege(state, selected, 'globalLock')
  const isSelectedInside = aid === selected || isBelow(state, selected, aid)
  if (!mayLock || isSelectedInside) return refuse('notNow')
  const isLocked = p2 >= locked
  if (!isLocked && found.lifeCycle < locked) return refuse('notNow')
  write((changed) => {
    for (const each of changed.applications)
      if (each.aid === aid || isBelow(state, each.aid, aid))
        each.lifeCycle = after(each.lifeCycle, isLocked)
  })
  return none
}
