import { byteAt, toHex } from '../bytes.ts'
import { decodePrivileges, privilegeConflicts, type PrivilegeName } from '../privileges.ts'
import { implementations } from '../secure-channel/security-level.ts'
import { parseTlv } from '../tlv.ts'
import {
  ssdModule,
  type CardState,
  type DomainData,
  type StoredApplication,
  type StoredLoadFile,
} from './card-state.ts'
import {
  applicationOf,
  applicationPrivileges,
  domainData,
  domainPrivileges,
  hasPrivilege,
  manages,
} from './domains.ts'
import { aidOf, noReceipt, type InstallFields } from './install-fields.ts'
import { memoryOf, systemNumbers } from './memory.ts'
import { modelOf } from './models/models.ts'
import { refuse } from './refusal.ts'
import { isTaken } from './registry.ts'
import type { CardContext } from './volatile.ts'

/**
 * Rejects privileges that conflict or lack a prerequisite, and those that this card does not grant.
 */
export function grantable(state: CardState, aid: string, bytes: Uint8Array): PrivilegeName[] {
  const privileges = bytes.length === 0 ? [] : decodePrivileges(bytes)
  if (privilegeConflicts(privileges).length > 0) return refuse('wrongData')
  const isDomain = privileges.includes('securityDomain')
  const known = isDomain ? domainPrivileges : applicationPrivileges
  if (privileges.some((name) => !known.includes(name))) return refuse('wrongData')
  // At most one application is selected by default after power-on.
  const isFirst = ({ aid: other }: StoredApplication) =>
    other !== aid && hasPrivilege(state, other, 'cardReset')
  if (privileges.includes('cardReset') && state.applications.some(isFirst))
    return refuse('wrongData')
  return privileges
}

/** INSTALL [for install]: an instance of a module, in the domain of its load file. */
export function installApplication(
  { state, session, write }: CardContext,
  { first, second, third, privileges: bytes, parameters }: InstallFields,
  isSelectable: boolean,
  /** The load file of the same transaction. */
  loaded?: StoredLoadFile,
): Uint8Array {
  const loadFileAid = aidOf(first)
  const moduleAid = aidOf(second)
  const aid = third.length === 0 ? moduleAid : aidOf(third)
  const known = loaded ? [loaded] : state.loadFiles
  const file = known.find((each) => each.aid === loadFileAid) ?? refuse('missingReference')
  if (!file.modules.includes(moduleAid)) return refuse('missingReference')
  if (isTaken(state, aid) || loaded?.aid === aid) return refuse('notNow')
  const privileges = grantable(state, aid, bytes)
  const isDomain = moduleAid === ssdModule
  if (privileges.includes('securityDomain') !== isDomain) return refuse('wrongData')
  const application = parseTlv(parameters).find(({ tag }) => tag === 'C9') ?? refuse('wrongData')
  const own = parameters.slice(application.valueFrom, application.to)
  const numbers = systemNumbers(parameters)
  const model = modelOf(aid, moduleAid)
  const made: StoredApplication = {
    aid,
    loadFileAid,
    moduleAid,
    domainAid: file.isFactory ? session.selected : file.domainAid,
    lifeCycle: isSelectable ? 0x07 : 0x03,
    privileges,
    parameters: toHex(parameters),
    quota: memoryOf(numbers, 'C7', 'C8'),
    reserved: memoryOf(numbers, 'D7', 'D8'),
    model: isDomain ? 'securityDomain' : model.name,
    data: isDomain ? {} : model.install(own),
    ...(isDomain && { domain: newDomain(state, session.selected, own) }),
  }
  write((next) => {
    if (loaded) {
      next.loadFiles.push(loaded)
      next.loadedBytes = 0
    }
    next.applications.push(made)
  })
  return noReceipt
}

/** A domain without keys. Its parameters may choose an SCP option of the card. */
function newDomain(state: CardState, parentAid: string, parameters: Uint8Array): DomainData {
  const parent = domainData(state, parentAid) ?? state
  const channels = parseTlv(parameters).filter(({ tag }) => tag === '81')
  const options = channels.map(({ valueFrom, to }) => {
    if (to - valueFrom !== 2) return refuse('wrongData')
    const isSame = byteAt(parameters, valueFrom) === (state.protocol === 'SCP03' ? 3 : 2)
    const option = byteAt(parameters, valueFrom + 1)
    // Hosts that found no SCP02 option name 00, which means the parent's.
    if (isSame && state.protocol === 'SCP02' && option === 0) return parent.implementation
    const isKnown = isSame && implementations[state.protocol].includes(option)
    return isKnown ? option : refuse('wrongData')
  })
  return { implementation: options[0] ?? parent.implementation, keySets: [], objects: {} }
}

/**
 * INSTALL [for make selectable] for an application that is only installed. Of its privileges only
 * Card Reset counts; hosts also send it to give that privilege to an application that is already
 * selectable.
 */
export function makeSelectable(
  { state, session, write }: CardContext,
  { third, privileges: bytes }: InstallFields,
): Uint8Array {
  const aid = aidOf(third)
  const found = applicationOf(state, aid) ?? refuse('missingReference')
  const { lifeCycle, privileges } = found
  const isDefault = grantable(state, aid, bytes).includes('cardReset')
  const isGranted = isDefault && !privileges.includes('cardReset') && lifeCycle < 0x80
  if (lifeCycle !== 0x03 && !isGranted) return refuse('notNow')
  if (!manages(state, session.selected, aid)) return refuse('notNow')
  write((next) => {
    const application = applicationOf(next, aid)
    if (!application) return
    if (lifeCycle === 0x03) application.lifeCycle = 0x07
    if (isGranted) application.privileges = [...privileges, 'cardReset']
  })
  return noReceipt
}
