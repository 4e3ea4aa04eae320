import type { Command } from '../apdu.ts'
import { extradite, updateRegistry } from './association.ts'
import { hasPrivilege } from './domains.ts'
import { installApplication, makeSelectable } from './install-application.ts'
import { aidOf, fieldsOf, noReceipt, type InstallFields } from './install-fields.ts'
import { startLoading, stopLoading } from './load-file.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

/** Load, install and make selectable combined: P2 says whether a command is the first or the last. */
const whole = 0x0e
const begin = 0x01
const end = 0x03

/** INSTALL for every purpose. All but personalization require authorized management. */
export function install(context: CardContext, { p1, p2, data }: Command): Uint8Array {
  const { session, state } = context
  const { loaded } = session
  session.personalizing = undefined
  session.storing = undefined
  stopLoading(context)
  if (p1 === 0x20 && p2 === 0) return forPersonalization(context, fieldsOf(data, true))
  if (!hasPrivilege(state, session.selected, 'authorizedManagement')) return refuse('notNow')
  if (p1 === whole && p2 === begin) return startLoading(context, fieldsOf(data, false), true)
  if (p1 === whole && p2 === end) {
    const file = loaded ?? refuse('notNow')
    return installApplication(context, fieldsOf(data, true), true, file)
  }
  if (p2 !== 0) return refuse('wrongParameters')
  switch (p1) {
    case 0x02:
      return startLoading(context, fieldsOf(data, false), false)
    case 0x04:
    case 0x0c:
      return installApplication(context, fieldsOf(data, true), p1 === 0x0c)
    case 0x08:
      return makeSelectable(context, fieldsOf(data, true))
    case 0x10:
      return extradite(context, fieldsOf(data, true))
    case 0x40:
      return updateRegistry(context, fieldsOf(data, true))
    default:
      return refuse('wrongParameters')
  }
}

/** The following STORE DATA goes to an application of the selected domain. */
function forPersonalization({ session, state }: CardContext, { third }: InstallFields): Uint8Array {
  const aid = aidOf(third)
  const found = state.applications.find((each) => each.aid === aid) ?? refuse('missingReference')
  if (found.domainAid !== session.selected || found.lifeCycle >= 0x80) return refuse('notNow')
  session.personalizing = aid
  return noReceipt
}
