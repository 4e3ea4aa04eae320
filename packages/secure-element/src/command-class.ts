import { parseCommand, type Command, type Response } from './apdu.ts'
import { byteAt, toHex } from './bytes.ts'
import { decodePrivileges, type PrivilegeName } from './privileges.ts'
import { parseTlv, readTag, readTlvHead } from './tlv.ts'

/**
 * What a command does to a card, from harmless to final. `keys` also covers what only the owner of
 * the keys decides: the state of the card, and privileges over all of it.
 */
export const commandClasses = ['reads', 'changes', 'keys', 'irreversible'] as const
export type CommandClass = (typeof commandClasses)[number]

/** Why a command is more than a change. */
export type CommandReason =
  | 'putKey'
  | 'deleteKey'
  /** STORE DATA that has keys, or may have them. */
  | 'storeKeys'
  /** A failed attempt counts against the card. */
  | 'authenticate'
  | 'cardState'
  /** Privileges with which an application locks, ends or empties the card. */
  | 'privileges'
  | 'terminate'
  /** Protected, chained or malformed: only the card knows what it does. */
  | 'unreadable'
  /** An instruction that is not known, to what may be a security domain. */
  | 'unknown'

export type Classified =
  | { class: 'reads' | 'changes'; reason?: never }
  | { class: 'keys' | 'irreversible'; reason: CommandReason }

/** What a command may meet on the card. */
export interface CardPlace {
  /** `domain` also where nobody can tell. */
  selected: 'application' | 'domain'
  /** STORE DATA of the blocks before, while their numbers follow each other. */
  storing: readonly Uint8Array[]
}

/** After a reset the domain of the issuer is selected. */
export const firstPlace: CardPlace = { selected: 'domain', storing: [] }

const ins = {
  initializeUpdate: 0x50,
  manageChannel: 0x70,
  endRMac: 0x78,
  beginRMac: 0x7a,
  externalAuthenticate: 0x82,
  getChallenge: 0x84,
  select: 0xa4,
  getResponse: 0xc0,
  envelope: 0xc2,
  envelopeTlv: 0xc3,
  getData: 0xca,
  getDataTlv: 0xcb,
  putKey: 0xd8,
  storeData: 0xe2,
  delete: 0xe4,
  install: 0xe6,
  load: 0xe8,
  setStatus: 0xf0,
  getStatus: 0xf2,
  terminateCardUsage: 0xfe,
} as const

const reading = new Set<number>([
  ins.initializeUpdate,
  ins.manageChannel,
  ins.endRMac,
  ins.beginRMac,
  ins.getChallenge,
  ins.select,
  // READ BINARY and READ RECORD, with either form of their data.
  0xb0,
  0xb1,
  0xb2,
  0xb3,
  ins.getResponse,
  ins.getData,
  ins.getDataTlv,
  ins.getStatus,
])

/** Of ISO/IEC 7816-4: VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER, UPDATE, PUT DATA. */
const changing = new Set<number>([0x20, 0x21, 0x24, 0x25, 0x2c, 0x2d, 0xd6, 0xd7, 0xda, 0xdb, 0xdc])

const reads: Classified = { class: 'reads' }
const changes: Classified = { class: 'changes' }
const keys = (reason: CommandReason): Classified => ({ class: 'keys', reason })
const irreversible = (reason: CommandReason): Classified => ({ class: 'irreversible', reason })

/**
 * What the bits of a class byte say (ISO/IEC 7816-4, 5.4.1; GlobalPlatform Card Specification 2.3.1,
 * 11.1.4). Data under secure messaging, or of a command in several pieces, cannot be read here.
 */
function readClass(cla: number) {
  const isFurther = (cla & 0x40) !== 0
  return {
    isInterindustry: (cla & 0x80) === 0,
    isOtherChannel: isFurther || (cla & 0x03) !== 0,
    isReadable: (cla & (isFurther ? 0x30 : 0x3c)) === 0,
  }
}

/** Classifies a command as the card will run it: by its instruction whatever the class byte says. */
export const classifyCommand = (command: Command, place: CardPlace = firstPlace): Classified =>
  classify(command, command.data, place)

/** The same for bytes. Of those that are no command, a card may still run the header. */
export function classifyBytes(bytes: Uint8Array, place: CardPlace = firstPlace): Classified {
  const command = commandIn(bytes)
  if (command) return classifyCommand(command, place)
  const [cla = 0, instruction = 0, p1 = 0, p2 = 0] = bytes
  if (bytes.length < 4) return irreversible('unreadable')
  return classify({ cla, ins: instruction, p1, p2 }, undefined, place)
}

type Header = Pick<Command, 'cla' | 'ins' | 'p1' | 'p2'>

/** @param sent Undefined where the data could not be found. */
function classify(header: Header, sent: Uint8Array | undefined, place: CardPlace): Classified {
  const { cla, p1, p2 } = header
  const { isInterindustry, isOtherChannel, isReadable } = readClass(cla)
  const data = isReadable ? sent : undefined
  const isDomain = place.selected === 'domain' || isOtherChannel
  if (reading.has(header.ins)) return reads
  switch (header.ins) {
    case ins.putKey:
      return keys('putKey')
    case ins.externalAuthenticate:
      return keys('authenticate')
    case ins.terminateCardUsage:
      return irreversible('terminate')
    case ins.envelope:
    case ins.envelopeTlv:
      return irreversible('unreadable')
    case ins.setStatus:
      return setStatus(p1, p2)
    case ins.delete:
      return deletion(p1, data)
    case ins.install:
      // TERMINATE DF.
      return isInterindustry ? irreversible('terminate') : install(p1, p2, data)
    case ins.load:
      // TERMINATE EF.
      return isInterindustry ? irreversible('terminate') : changes
    case ins.storeData:
      return storeData(p1, p2, data, isDomain, place.storing)
    default:
      return !isDomain || changing.has(header.ins) ? changes : irreversible('unknown')
  }
}

const ofApplication = 0x40
const ofDomainWithAll = 0x60
const ofCard = 0x80
const terminated = 0xff
const cardLocked = 0x7f

/** The states of a card are refused for applications too: an AID could be that of the issuer's domain. */
function setStatus(p1: number, p2: number): Classified {
  if (p2 === terminated) return irreversible('terminate')
  if (p1 === ofCard || p2 === cardLocked) return keys('cardState')
  return p1 === ofApplication || p1 === ofDomainWithAll ? changes : irreversible('unknown')
}

/** An AID, and the token of an issuer that delegates management. */
const ofObjects = new Set(['4F', '9E'])

function deletion(p1: number, data: Uint8Array | undefined): Classified {
  const objects = p1 === 0 && data ? tagsOf(data) : undefined
  const isObject = objects?.includes('4F') && objects.every((tag) => ofObjects.has(tag))
  return isObject ? changes : keys('deleteKey')
}

/** Privileges with which an application locks, ends or empties a card, or is asked about all of it. */
export const overTheCard: ReadonlySet<PrivilegeName> = new Set<PrivilegeName>([
  'cardLock',
  'cardTerminate',
  'mandatedDapVerification',
  'globalDelete',
  'globalLock',
  'finalApplication',
])

const purposes = new Set([0x02, 0x04, 0x08, 0x0c, 0x0e, 0x10, 0x20, 0x40])
const forLoad = 0x02
const wholeTransaction = 0x0e
const itsBeginning = 0x01

function install(p1: number, p2: number, data: Uint8Array | undefined): Classified {
  // Pieces of a longer command have b8 of P1.
  if ((p1 & 0x80) !== 0) return irreversible('unreadable')
  if (!purposes.has(p1)) return irreversible('unknown')
  const fields = data && fieldsOf(data)
  if (fields?.length !== 5 && fields?.length !== 6) return irreversible('unreadable')
  const isLoad = p1 === forLoad || (p1 === wholeTransaction && p2 === itsBeginning)
  if (isLoad) return fields.length === 5 ? changes : irreversible('unreadable')
  const [, , , privileges = new Uint8Array()] = fields
  if (privileges.length === 0) return changes
  try {
    const granted = decodePrivileges(privileges)
    return granted.some((name) => overTheCard.has(name)) ? keys('privileges') : changes
  } catch {
    return irreversible('unreadable')
  }
}

/** Each behind a length of one byte, or of more behind `81` and `82`. */
function fieldsOf(data: Uint8Array): Uint8Array[] | undefined {
  const fields: Uint8Array[] = []
  for (let at = 0; at < data.length;) {
    const first = byteAt(data, at++)
    const more = first < 0x80 ? 0 : first - 0x80
    if (more > 2 || at + more > data.length || first === 0x80) return undefined
    let length = more === 0 ? first : 0
    for (let index = 0; index < more; index++) length = (length << 8) | byteAt(data, at++)
    if (at + length > data.length) return undefined
    fields.push(data.subarray(at, at + length))
    at += length
  }
  return fields
}

/** Encrypted, as the application knows how, or in a way that is not defined yet. */
const encryption = 0x60
const format = { mask: 0x18, dgi: 0x08, tlv: 0x10 } as const

/** Data groupings and objects with keys, their check values and their certificates. */
const ofKeys = /^(8F..|7F01|7F48|7F49|00A6|00B6|00B9|A6|B6|B9)$/

function storeData(
  p1: number,
  p2: number,
  data: Uint8Array | undefined,
  isDomain: boolean,
  storing: readonly Uint8Array[],
): Classified {
  if (!data || p2 !== (storing.length & 0xff)) return keys('storeKeys')
  const all = joined([...storing, data])
  // The numbers of groupings stay readable where their contents are encrypted.
  const shape = p1 & format.mask
  const hasGroups = shape !== format.tlv && groupsOf(all).some((group) => ofKeys.test(group))
  if (shape === format.dgi) return hasGroups ? keys('storeKeys') : changes
  if (!isDomain) return changes
  // A domain may read groupings where P1 does not say what the data is.
  const isKeys =
    hasGroups || (p1 & encryption) !== 0 || firstTags(all).some((tag) => ofKeys.test(tag))
  return isKeys ? keys('storeKeys') : changes
}

function joined(blocks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}

/** The numbers of the groupings that have begun; the last one may go on in the next block. */
function groupsOf(data: Uint8Array): string[] {
  const groups: string[] = []
  for (let at = 0; at + 2 <= data.length;) {
    groups.push(toHex(data.subarray(at, at + 2)))
    const [length = 0, high = 0, low = 0] = data.subarray(at + 2, at + 5)
    at += length === 0xff ? 5 + ((high << 8) | low) : 3 + length
  }
  return groups
}

function tagsOf(data: Uint8Array): string[] | undefined {
  try {
    return parseTlv(data).map(({ tag }) => tag)
  } catch {
    return undefined
  }
}

/** The tags up to where the data is no TLV any more, or goes on in the next block. */
function firstTags(data: Uint8Array): string[] {
  const tags: string[] = []
  try {
    for (let at = 0; at < data.length;) {
      const next = readTag(data, at, data.length)
      tags.push(toHex(data.subarray(at, next)))
      at = readTlvHead(data, at).to
    }
  } catch {
    return tags
  }
  return tags
}

/** The most of STORE DATA that is remembered, as many blocks as the command can number. */
const mostBlocks = 256

/** What the next command will meet, once a card has answered this one. */
export function placeAfter(place: CardPlace, command: Command, response: Response): CardPlace {
  const { cla, p1, p2, data } = command
  const { isOtherChannel, isReadable } = readClass(cla)
  if (command.ins === ins.storeData) {
    const isMore = (p1 & 0x80) === 0 && isReadable && p2 === (place.storing.length & 0xff)
    const blocks = isMore && place.storing.length < mostBlocks ? [...place.storing, data] : []
    return { ...place, storing: blocks }
  }
  const { statusWord } = response
  const isTaken = statusWord === success || [0x61, 0x62, 0x63].includes(statusWord >> 8)
  if (command.ins !== ins.select || isOtherChannel || !isTaken) return { ...place, storing: [] }
  // Domains always answer with their name; many applets answer nothing.
  const isSilent = statusWord === success && response.data.length === 0
  const selected = isSilent && p1 === byName ? placeOf(toHex(data)) : selectedOf(response.data)
  return { selected, storing: [] }
}

const success = 0x9000
const byName = 0x04

/** Why commands are more than changes, whatever is selected; undefined where none of them is. */
export function reservedReason(commands: readonly Command[]): CommandReason | undefined {
  let place: CardPlace = { ...firstPlace, selected: 'application' }
  for (const command of commands) {
    const { reason } = classifyCommand(command, place)
    if (reason !== undefined) return reason
    place = placeAfter(place, command, { data: new Uint8Array(), statusWord: success })
  }
}

/** Providers of GlobalPlatform, of the first cards with it, and of chips with eSIM profiles. */
const ofIssuers = ['A000000151', 'A000000003000000', 'A000000559', 'A000000018434D']

const shortestAid = 10

/** A name that could be that of an issuer's domain, or the beginning of one, is one. */
const placeOf = (aid: string): CardPlace['selected'] =>
  aid.length < shortestAid || ofIssuers.some((each) => aid.startsWith(each) || each.startsWith(aid))
    ? 'domain'
    : 'application'

/** What only the answers of domains have: how to manage them, and the most that they take. */
const ofDomains = new Set(['73', '9F65', '9F6E'])

/** File control information that names an application, and has nothing that domains have. */
function selectedOf(fci: Uint8Array): CardPlace['selected'] {
  try {
    const [template] = parseTlv(fci)
    const parts = template?.tag === '6F' ? (template.children ?? []) : []
    const name = parts.find(({ tag }) => tag === '84')
    const more = parts.flatMap(({ children = [] }) => children)
    if (!name || more.some(({ tag }) => ofDomains.has(tag))) return 'domain'
    return placeOf(toHex(fci.subarray(name.valueFrom, name.to)))
  } catch {
    return 'domain'
  }
}

/** The command that bytes are, if they are one. */
export function commandIn(bytes: Uint8Array): Command | undefined {
  try {
    return parseCommand(bytes)
  } catch {
    return undefined
  }
}
