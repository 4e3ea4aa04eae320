import { encodeResponse, parseCommand, type Command, type Response } from './apdu.ts'
import { byteAt, toHex } from './bytes.ts'
import { parseGetStatus, type RegistryEntry } from './get-status.ts'
import { decodePrivileges, overTheCard } from './privileges.ts'
import { parseTlv, readTag, readTlvHead } from './tlv.ts'

/**
 * The effect of a command on a card, from harmless to final. `keys` also covers what only the owner
 * of the keys decides: the state of the card, and privileges over all of it.
 */
export const commandClasses = ['reads', 'changes', 'keys', 'irreversible'] as const
export type CommandClass = (typeof commandClasses)[number]

/** Why a command is more than a change. */
export type CommandReason =
  | 'putKey'
  | 'deleteKey'
  /** DELETE of what is or may be a security domain: its keys are deleted with it. */
  | 'deleteDomain'
  /** STORE DATA that contains keys, or may contain them. */
  | 'storeKeys'
  /** A failed attempt counts against the card. */
  | 'authenticate'
  | 'cardState'
  /** Privileges with which an application locks, terminates or wipes the card. */
  | 'privileges'
  | 'terminate'
  /** Protected, chained or malformed: only the card can tell. */
  | 'unreadable'
  /** An unknown instruction to what may be a security domain. */
  | 'unknown'

export type Classified =
  | { class: 'reads' | 'changes'; reason?: never }
  | { class: 'keys' | 'irreversible'; reason: CommandReason }

/** An application or a security domain of a card. */
export interface KnownApplication {
  aid: string
  /** Also if unknown. */
  isDomain: boolean
  /** Null if the card does not say. */
  loadFileAid: string | null
}

/** The state of the command's logical channel as far as it affects the class of a command. */
export interface CardPlace {
  /**
   * `domain` also if unknown. `silent` returned no FCI although it was requested, as many applets do
   * and no domain should.
   */
  selected: 'application' | 'silent' | 'domain'
  /** The card's registry lists the selected AID, and not as a security domain. */
  isListed: boolean
  /** The preceding STORE DATA blocks, while their numbers are consecutive. */
  storing: readonly Uint8Array[]
  /** The card's contents, as far as known. */
  known: readonly KnownApplication[]
  /** How much of the registry was read since the last SELECT and INSTALL: `whole` for all of it. */
  registry: 'unread' | 'part' | 'whole'
}

/** After a reset the issuer domain is selected. */
export const firstPlace: CardPlace = {
  selected: 'domain',
  isListed: false,
  storing: [],
  known: [],
  registry: 'unread',
}

/** The most permissive state: what is refused here is refused everywhere. */
export const mildestPlace: CardPlace = {
  ...firstPlace,
  selected: 'application',
  isListed: true,
  registry: 'whole',
}

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
  // READ BINARY and READ RECORD, even and odd instruction.
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
 * Meanings of the class byte (ISO/IEC 7816-4, 5.4.1; GlobalPlatform Card Specification 2.3.1,
 * 11.1.4). Data under secure messaging and data of chained commands cannot be read here.
 */
function readClass(cla: number) {
  const isFurther = (cla & 0x40) !== 0
  return {
    isInterindustry: (cla & 0x80) === 0,
    isFurther,
    isReadable: (cla & (isFurther ? 0x30 : 0x3c)) === 0,
  }
}

/** Classifies a command as the card will run it: by its instruction, whatever the class byte. */
export const classifyCommand = (command: Command, place: CardPlace = firstPlace): Classified =>
  classify(command, command.data, place)

/** The same for raw bytes. A card may still run the header of a malformed command. */
export function classifyBytes(bytes: Uint8Array, place: CardPlace = firstPlace): Classified {
  const command = commandIn(bytes)
  if (command) return classifyCommand(command, place)
  const [cla = 0, instruction = 0, p1 = 0, p2 = 0] = bytes
  if (bytes.length < 4) return irreversible('unreadable')
  return classify({ cla, ins: instruction, p1, p2 }, undefined, place)
}

type Header = Pick<Command, 'cla' | 'ins' | 'p1' | 'p2'>

/** @param sent Undefined if the data could not be located. */
function classify(header: Header, sent: Uint8Array | undefined, place: CardPlace): Classified {
  const { cla, p1, p2 } = header
  const { isInterindustry, isFurther, isReadable } = readClass(cla)
  const data = isReadable ? sent : undefined
  // What is selected on logical channels above 3 is unknown.
  const isDomain = place.selected === 'domain' || isFurther
  if (reading.has(header.ins)) return reads
  switch (header.ins) {
    case ins.putKey:
      // An application has keys of its own, which are not part of Grove's rotations. An AID that the
      // card does not list may be a domain, whatever its answer to SELECT looks like.
      return !isDomain && isReadable && place.isListed ? changes : keys('putKey')
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
      return deletion(header, data, place)
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

/** Card states are refused for applications too: the AID could be that of the issuer domain. */
function setStatus(p1: number, p2: number): Classified {
  if (p2 === terminated) return irreversible('terminate')
  if (p1 === ofCard || p2 === cardLocked) return keys('cardState')
  return p1 === ofApplication || p1 === ofDomainWithAll ? changes : irreversible('unknown')
}

/** An AID, and a delegated management token. */
const ofObjects = new Set(['4F', '9E'])

function deletion({ p1, p2 }: Header, data: Uint8Array | undefined, place: CardPlace): Classified {
  const names = p1 === 0 && data ? namesIn(data) : undefined
  if (!names) return keys('deleteKey')
  const takesRelated = (p2 & 0x80) !== 0
  return names.every((aid) => leavesDomains(aid, takesRelated, place))
    ? changes
    : keys('deleteDomain')
}

/** The AIDs that a DELETE names; undefined if it names none, or keys. */
function namesIn(data: Uint8Array): string[] | undefined {
  try {
    const objects = parseTlv(data)
    const names = objects
      .filter(({ tag }) => tag === '4F')
      .map(({ valueFrom, to }) => toHex(data.subarray(valueFrom, to)))
    return names.length > 0 && objects.every(({ tag }) => ofObjects.has(tag)) ? names : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether deleting an AID cannot delete a domain: neither the AID itself nor an instance of its
 * package.
 */
function leavesDomains(
  aid: string,
  takesRelated: boolean,
  { known, registry }: CardPlace,
): boolean {
  const domains = known.filter(({ isDomain }) => isDomain)
  if (aid.length < shortestAid) return false
  if (domains.some((each) => each.aid.startsWith(aid) || each.loadFileAid === aid)) return false
  const own = known.find((each) => each.aid === aid)
  if (own && !(takesRelated && isLoadFile(own))) return true
  if (takesRelated && domains.some(({ loadFileAid }) => loadFileAid === null)) return false
  return registry === 'whole'
}

/** A package itself: if nothing was installed from it, deleting it deletes nothing else. */
const isLoadFile = ({ aid, loadFileAid }: KnownApplication) => aid === loadFileAid

/** Whether the class of a command depends on the card's registry. */
export const needsRegistry = (sent: Command | Uint8Array, { registry }: CardPlace): boolean =>
  registry === 'unread' && (sent instanceof Uint8Array ? sent[1] : sent.ins) === ins.delete

const purposes = new Set([0x02, 0x04, 0x08, 0x0c, 0x0e, 0x10, 0x20, 0x40])
const forLoad = 0x02
const wholeTransaction = 0x0e
const itsBeginning = 0x01

function install(p1: number, p2: number, data: Uint8Array | undefined): Classified {
  // Fragments of a longer command have b8 of P1 set.
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

/** Each with a length prefix of one byte, or more after `81` and `82`. */
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

/** Encrypted, application-defined, or reserved. */
const encryption = 0x60
const format = { mask: 0x18, dgi: 0x08, tlv: 0x10 } as const

/** Data groupings and objects that hold keys, key check values or certificates. */
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
  // Grouping numbers stay readable when the contents are encrypted.
  const shape = p1 & format.mask
  const hasGroups = shape !== format.tlv && groupsOf(all).some((group) => ofKeys.test(group))
  if (shape === format.dgi) return hasGroups ? keys('storeKeys') : changes
  if (!isDomain) return changes
  // A domain may parse groupings when P1 does not define the format.
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

/** The numbers of the groupings that have begun; the last one may continue in the next block. */
function groupsOf(data: Uint8Array): string[] {
  const groups: string[] = []
  for (let at = 0; at + 2 <= data.length;) {
    groups.push(toHex(data.subarray(at, at + 2)))
    const [length = 0, high = 0, low = 0] = data.subarray(at + 2, at + 5)
    at += length === 0xff ? 5 + ((high << 8) | low) : 3 + length
  }
  return groups
}

/** The tags up to where the data stops being TLV or continues in the next block. */
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

/** How much STORE DATA is remembered: as many blocks as the command can number. */
const maxBlocks = 256

/** The state of the command's logical channel after the card's answer. */
export function placeAfter(place: CardPlace, command: Command, response: Response): CardPlace {
  const { cla, p1, p2, data } = command
  const { isFurther, isReadable } = readClass(cla)
  if (command.ins === ins.storeData) {
    const isMore = (p1 & 0x80) === 0 && isReadable && p2 === (place.storing.length & 0xff)
    const blocks = isMore && place.storing.length < maxBlocks ? [...place.storing, data] : []
    return { ...place, storing: blocks }
  }
  const next: CardPlace = { ...place, storing: [] }
  if (command.ins === ins.getStatus) return { ...next, known: learnt(place.known, p1, response) }
  const { statusWord } = response
  if (command.ins === ins.install) {
    // A card that refused may have something else under this AID.
    const made = installedBy(command).filter(({ isDomain }) => isDomain || statusWord === success)
    return { ...next, known: [...place.known, ...made], registry: 'unread' }
  }
  const isTaken = statusWord === success || [0x61, 0x62, 0x63].includes(statusWord >> 8)
  if (command.ins !== ins.select || isFurther || !isTaken) return next
  // Domains return FCI when asked; many applets return nothing.
  const isSilent = statusWord === success && response.data.length === 0
  const { known } = place
  const selected =
    isSilent && p1 === byName ? silentAt(command, known) : selectedOf(response.data, known)
  const isListed = selected === 'application' && isListedAs(command, response.data, known)
  return { ...next, selected, isListed, registry: 'unread' }
}

/** Whether what a SELECT by name selected is listed in the registry, and not as a domain. */
function isListedAs(
  { p1, p2, data }: Command,
  fci: Uint8Array,
  known: readonly KnownApplication[],
): boolean {
  const name = fci.length === 0 ? toHex(data) : nameIn(fci)
  const listed = known.filter(({ aid }) => aid === name)
  return (
    p1 === byName &&
    // Not the next matching one.
    (p2 & occurrence) === 0 &&
    listed.length > 0 &&
    // Its name may have been taken by something else.
    listed.every((each) => !each.isDomain && !isLoadFile(each))
  )
}

const occurrence = 0x03

/** The AID in the FCI; undefined if it contains none. */
function nameIn(fci: Uint8Array): string | undefined {
  try {
    const [template] = parseTlv(fci)
    const name = template?.children?.find(({ tag }) => tag === '84')
    return name && toHex(fci.subarray(name.valueFrom, name.to))
  } catch {
    return undefined
  }
}

/** What is known after the card's registry was read. */
export const placeWith = (
  place: CardPlace,
  entries: readonly RegistryEntry[],
  isWhole: boolean,
): CardPlace => ({
  ...place,
  // Of what a domain cannot see, only the domains and packages of an earlier reading count.
  known: merged(
    isWhole ? [] : place.known.filter((each) => each.isDomain || isLoadFile(each)),
    entries.map(knownOf),
  ),
  registry: isWhole ? 'whole' : 'part',
})

const merged = (known: readonly KnownApplication[], found: readonly KnownApplication[]) => [
  ...known.filter(({ aid }) => !found.some((each) => each.aid === aid)),
  ...found,
]

const knownOf = ({ aid, kind, privileges, loadFileAid }: RegistryEntry): KnownApplication => ({
  aid,
  isDomain: kind !== 'application' || privileges === undefined,
  // The issuer domain stays, whichever package is deleted.
  loadFileAid: kind === 'issuer' ? '' : (loadFileAid ?? null),
})

const ofApplications = 0x40
const ofLoadFiles = 0x20
const ofLoadFilesAndModules = 0x10

/** A reply that someone read; an entry that continues in the next reply stays unknown. */
function learnt(known: readonly KnownApplication[], p1: number, response: Response) {
  const isOfFiles = p1 === ofLoadFiles || p1 === ofLoadFilesAndModules
  if ((p1 !== ofApplications && !isOfFiles) || response.data.length === 0) return known
  try {
    const subset = isOfFiles ? 'loadFiles' : 'applications'
    const { entries } = parseGetStatus(encodeResponse(response), subset)
    return merged(known, entries.map(isOfFiles ? knownFile : knownOf))
  } catch {
    return known
  }
}

const knownFile = ({ aid }: RegistryEntry): KnownApplication => ({
  aid,
  isDomain: false,
  loadFileAid: aid,
})

/** What an INSTALL creates. */
export function installedBy({ p1, data }: Command): KnownApplication[] {
  const [loadFile, module, instance, privileges] = fieldsOf(data) ?? []
  if ((p1 & forInstall) === 0 || !loadFile || !module || !instance || !privileges) return []
  const aid = toHex(instance.length === 0 ? module : instance)
  return [{ aid, isDomain: isOfDomain(privileges), loadFileAid: toHex(loadFile) }]
}

function isOfDomain(privileges: Uint8Array): boolean {
  try {
    return privileges.length > 0 && decodePrivileges(privileges).includes('securityDomain')
  } catch {
    return true
  }
}

const success = 0x9000
const byName = 0x04
const forInstall = 0x04
/** P2: no FCI requested. */
const noAnswer = 0x0c

/** Why commands are more than changes, whatever is selected; undefined if none is. */
export function reservedReason(commands: readonly Command[]): CommandReason | undefined {
  let place = mildestPlace
  for (const command of commands) {
    const { reason } = classifyCommand(command, place)
    if (reason !== undefined) return reason
    const { storing } = placeAfter(place, command, { data: new Uint8Array(), statusWord: success })
    place = { ...mildestPlace, storing }
  }
}

/** RIDs of GlobalPlatform, of its first cards, and of eSIM chips. */
const ofIssuers = ['A000000151', 'A000000003000000', 'A000000559', 'A000000018434D']

const shortestAid = 10

/** What a name selects: a domain, if the name could be that of a domain or a prefix of one. */
function placeOf(aid: string, known: readonly KnownApplication[]): 'application' | 'domain' {
  const isShort = aid.length < shortestAid
  if (isShort || known.some((each) => each.isDomain && each.aid.startsWith(aid))) return 'domain'
  if (known.some((each) => each.aid === aid)) return 'application'
  return ofIssuers.some((each) => aid.startsWith(each) || each.startsWith(aid))
    ? 'domain'
    : 'application'
}

/** What a name selected if there was no answer: maybe a domain, if FCI was not requested. */
function silentAt(
  { data, le, p2 }: Command,
  known: readonly KnownApplication[],
): CardPlace['selected'] {
  const aid = toHex(data)
  if (placeOf(aid, known) === 'domain') return 'domain'
  if (known.some((each) => each.aid === aid)) return 'application'
  return le === undefined || (p2 & noAnswer) === noAnswer ? 'domain' : 'silent'
}

/** Only domains return these: management data and the maximum command length. */
const ofDomains = new Set(['73', '9F65', '9F6E'])

/** FCI that names an application and has nothing specific to domains. */
function selectedOf(fci: Uint8Array, known: readonly KnownApplication[]): CardPlace['selected'] {
  try {
    const [template] = parseTlv(fci)
    const parts = template?.tag === '6F' ? (template.children ?? []) : []
    const name = parts.find(({ tag }) => tag === '84')
    const more = parts.flatMap(({ children = [] }) => children)
    if (!name || more.some(({ tag }) => ofDomains.has(tag))) return 'domain'
    return placeOf(toHex(fci.subarray(name.valueFrom, name.to)), known)
  } catch {
    return 'domain'
  }
}

/** The command that the bytes encode, if any. */
export function commandIn(bytes: Uint8Array): Command | undefined {
  try {
    return parseCommand(bytes)
  } catch {
    return undefined
  }
}
