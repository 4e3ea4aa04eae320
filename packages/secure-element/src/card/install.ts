import type { Command } from '../apdu.ts'
import { extradite, updateRegistry } from './association.ts'
import { toHex } from '../bytes.ts'
import type { ReceiptSubject } from '../host/delegation.ts'
import type { CardState } from './card-state.ts'
import { isDelegated, receiptFor } from './delegation.ts'
import { applicationOf } from './domains.ts'
import { installApplication, makeSelectable } from './install-application.ts'
import { aidOf, fieldsOf, noReceipt, type InstallFields } from './install-fields.ts'
import { startLoading, stopLoading } from './load-file.ts'
import { refuse } from './refusal.ts'
import type { CardContext, Volatile } from './volatile.ts'

/** Load, install and make selectable combined: P2 says whether a command is the first or the last. */
const whole = 0x0e
const begin = 0x01
const end = 0x03

/** INSTALL for every purpose. All but personalization require authorized management, or
 * delegated management with a token. */
export function install(context: CardContext, command: Command): Uint8Array {
  const { p1, p2, data } = command
  const { session, state } = context
  const { loaded } = session
  session.personalizing = undefined
  session.storing = undefined
  stopLoading(context)
  if (p1 === 0x20 && p2 === 0) return forPersonalization(context, fieldsOf(data, true))
  const isLoad = p1 === 0x02 || (p1 === whole && p2 === begin)
  const fields = fieldsOf(data, !isLoad)
  const delegated = isDelegated(context, command, fields.signed, fields.token)
  if (isLoad) return startLoading(context, fields, { isCombined: p1 === whole, delegated })
  const subject = delegated ? subjectOf(state, command, fields) : undefined
  const reply = installed(context, command, fields, loaded)
  return subject ? receiptFor(context, subject) : reply
}

/** The subject of the receipt, before the command runs. */
function subjectOf(
  state: CardState,
  { p1 }: Command,
  { first, third, privileges, parameters }: InstallFields,
): ReceiptSubject {
  const aid = aidOf(third)
  const found = applicationOf(state, aid)
  const fromDomainAid =
    (found ?? state.loadFiles.find((each) => each.aid === aid))?.domainAid ?? state.issuerAid
  const move = { fromDomainAid, aid, toDomainAid: toHex(first) }
  if (p1 === 0x10) return { kind: 'extradition', ...move }
  if (p1 === 0x40) return { kind: 'registryUpdate', ...move, privileges, parameters }
  const loadFileAid = found?.loadFileAid ?? toHex(first)
  return { kind: 'install', loadFileAid, applicationAid: aid }
}

function installed(
  context: CardContext,
  { p1, p2 }: Command,
  fields: InstallFields,
  loaded: Volatile['loaded'],
): Uint8Array {
  if (p1 === whole && p2 === end) {
    const file = loaded ?? refuse('notNow')
    return installApplication(context, fields, true, file)
  }
  if (p2 !== 0) return refuse('wrongParameters')
  switch (p1) {
    case 0x04:
    case 0x0c:
      return installApplication(context, fields, p1 === 0x0c)
    case 0x08:
      return makeSelectable(context, fields)
    case 0x10:
      return extradite(context, fields)
    case 0x40:
      return updateRegistry(context, fields)
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
