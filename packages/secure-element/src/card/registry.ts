import type { Command, Response } from '../apdu.ts'
import { toHex } from '../bytes.ts'
import { encodeGetStatus, type RegistryEntry } from '../get-status.ts'
import { decodePrivileges } from '../privileges.ts'
import { encodeTlv, parseTlv, readTag } from '../tlv.ts'
import type { CardState } from './card-state.ts'
import { hasPrivilege, isBelow, issuerPrivilegesOf } from './domains.ts'
import { refuse, words } from './refusal.ts'
import type { CardContext } from './volatile.ts'

/** The longest reply that hosts can unwrap at level 33. */
const maxReplyLength = 239

const common = { implicitSelection: [], modules: [] }

const issuerEntry = (state: CardState): RegistryEntry => ({
  ...common,
  aid: state.issuerAid,
  kind: 'issuer',
  lifeCycle: state.lifeCycle,
  privileges: issuerPrivilegesOf(state),
  securityDomainAid: state.issuerAid,
})

function entriesOf(state: CardState, subset: number, sees: (aid: string) => boolean) {
  if (subset === 0x80) return sees(state.issuerAid) ? [issuerEntry(state)] : []
  if (subset === 0x40)
    return state.applications
      .filter(({ aid }) => sees(aid))
      .map((each): RegistryEntry => {
        const { aid, privileges, loadFileAid, domainAid, lifeCycle, domain } = each
        const kind = domain ? 'securityDomain' : 'application'
        const place = { loadFileAid, securityDomainAid: domainAid }
        return { ...common, aid, kind, lifeCycle, privileges, ...place }
      })
  if (subset !== 0x20 && subset !== 0x10) return refuse('wrongParameters')
  return state.loadFiles
    .filter(({ domainAid }) => sees(domainAid))
    .map(({ aid, major, minor, modules, domainAid }): RegistryEntry => ({
      ...common,
      aid,
      kind: 'loadFile',
      lifeCycle: 0x01,
      version: `${major}.${minor}`,
      securityDomainAid: domainAid,
      modules: subset === 0x10 ? modules : [],
    }))
}

/** Parses the search criteria: an entry must contain every object in them. */
function criteria(data: Uint8Array): (entry: RegistryEntry) => boolean {
  const objects = parseTlv(data)
  const [begin] = objects
  if (begin?.tag !== '4F') return refuse('wrongData')
  const tests = objects.map(({ tag, valueFrom, to }): ((entry: RegistryEntry) => boolean) => {
    const value = data.slice(valueFrom, to)
    const hex = toHex(value)
    switch (tag) {
      case '4F':
        return ({ aid }) => aid.startsWith(hex)
      case '9F70':
        return ({ lifeCycle }) => lifeCycle === value[0]
      case 'C5': {
        const wanted = decodePrivileges(value)
        return ({ privileges = [] }) => wanted.every((name) => privileges.includes(name))
      }
      case 'C4':
        return ({ loadFileAid }) => loadFileAid === hex
      case 'CC':
        return ({ securityDomainAid }) => securityDomainAid === hex
      case '5C':
        return () => true
      default:
        return refuse('wrongData')
    }
  })
  return (entry) => tests.every((test) => test(entry))
}

/** The tags in the search criteria's tag list; all if there is none. */
function tagsOf(data: Uint8Array): string[] | undefined {
  const list = parseTlv(data).find(({ tag }) => tag === '5C')
  if (!list) return undefined
  const tags: string[] = []
  for (let at = list.valueFrom; at < list.to;) {
    const next = readTag(data, at, list.to)
    tags.push(toHex(data.subarray(at, next)))
    at = next
  }
  return tags
}

/** Only the objects in the tag list; the AID is always included. */
function pick(entries: Uint8Array, tags: readonly string[] | undefined): Uint8Array {
  if (!tags) return entries
  return encodeTlv(
    parseTlv(entries).map(({ children = [] }) => ({
      tag: 'E3',
      value: children
        .filter(({ tag }) => tag === '4F' || tags.includes(tag))
        .map(({ tag, valueFrom, to }) => ({ tag, value: entries.slice(valueFrom, to) })),
    })),
  )
}

/** Search criteria that match every entry. */
const everything = '4F00'

/** GET STATUS in the format of `E3` objects, with as many whole entries as fit. */
export function statusReply({ state, session }: CardContext, command: Command): Response {
  const { p1, p2, data } = command
  if (p2 !== 0x02 && p2 !== 0x03) return refuse('wrongParameters')
  const key = `${p1}:${toHex(data)}`
  const { left, selected } = session
  session.left = undefined
  const sees = (aid: string) =>
    hasPrivilege(state, selected, 'globalRegistry') ||
    aid === selected ||
    isBelow(state, aid, selected)
  let entries: RegistryEntry[]
  if (p2 === 0x03) entries = left?.key === key ? left.entries : refuse('notNow')
  else entries = entriesOf(state, p1, sees).filter(criteria(data))
  // Hosts that list everything stop at 6A88, and every host accepts an empty list.
  if (entries.length === 0 && toHex(data) !== everything) return refuse('missingReference')
  const tags = tagsOf(data)
  const reply = (end: number) => pick(encodeGetStatus(entries.slice(0, end)), tags)
  let count = Math.min(1, entries.length)
  let bytes = reply(count)
  for (; count < entries.length; count++) {
    const more = reply(count + 1)
    if (more.length > maxReplyLength) break
    bytes = more
  }
  const rest = entries.slice(count)
  if (rest.length > 0) session.left = { key, entries: rest }
  return { data: bytes, statusWord: rest.length > 0 ? words.moreData : words.success }
}

/** Whether an AID is in use on the card. */
export const isTaken = (state: CardState, aid: string): boolean =>
  state.issuerAid === aid ||
  state.applications.some((each) => each.aid === aid) ||
  state.loadFiles.some((each) => each.aid === aid) ||
  state.packages.some((each) => each.aid === aid)
