import { isIssuerAid, parseAid } from './aid.ts'
import { byteAt, concat, readHex, toHex } from './bytes.ts'
import { attempt, DecodeError } from './decode-error.ts'
import { explainNodes } from './explain-tlv.ts'
import { lifeCycleState, type LifeCycleOwner, type LifeCycleState } from './life-cycle.ts'
import { part, term, type Part } from './part.ts'
import { decodePrivileges, encodePrivileges, type PrivilegeName } from './privileges.ts'
import { explainStatusWord, isStatusWord } from './status-word.ts'
import { encodeTlv, parseTlv, readTlvHead, type TlvInput, type TlvNode } from './tlv.ts'

export type RegistryKind = 'issuer' | 'securityDomain' | 'application' | 'loadFile'

/** The subset that P1 of GET STATUS requested. */
export type RegistrySubset = 'issuer' | 'applications' | 'loadFiles'

/** One entry of a card's registry. AIDs are upper-case hex. */
export interface RegistryEntry {
  aid: string
  kind: RegistryKind
  lifeCycle: number
  /** Some cards add a second byte to the life cycle state. */
  lifeCycleExtra?: number
  /** Undefined for a byte that the specification does not define. */
  state?: LifeCycleState
  /** Undefined for load files, which have none. */
  privileges?: PrivilegeName[]
  implicitSelection: number[]
  loadFileAid?: string
  /** The version of a load file, such as `1.0`. */
  version?: string
  securityDomainAid?: string
  modules: string[]
}

export interface RegistryReply {
  entries: RegistryEntry[]
  statusWord?: number
  /** The offset of an entry that the next reply continues. */
  unfinishedFrom?: number
}

export const ownerOf = (kind: RegistryKind): LifeCycleOwner => (kind === 'issuer' ? 'card' : kind)

const moreData = 0x6310

/** Finds the entries, an incomplete one, and the status word. */
function layoutOf(bytes: Uint8Array) {
  const { length } = bytes
  const last = length < 2 ? 0 : (byteAt(bytes, length - 2) << 8) | byteAt(bytes, length - 1)
  const nodes: TlvNode[] = []
  for (let at = 0; at < length;) {
    if (length - at === 2 && isStatusWord(last)) return { nodes, end: at, statusWord: last }
    const found = toHex(bytes.subarray(at, at + 1))
    if (found !== 'E3') throw new DecodeError('wrongTag', at, { expected: 'E3', found })
    const head = last === moreData ? attempt(() => readTlvHead(bytes, at)) : readTlvHead(bytes, at)
    // The card truncated the list at the end of its buffer; the next reply continues it.
    if (!head || (last === moreData && head.to > length - 2))
      return { nodes, end: length - 2, statusWord: last, unfinishedFrom: at }
    nodes.push({ ...head, children: parseTlv(bytes, head.valueFrom, head.to) })
    at = head.to
  }
  return { nodes, end: length }
}

/**
 * Parses a reply to GET STATUS in the `E3` format, with or without its status word. `subset` is what
 * was requested; without it the kind of each entry follows from its contents.
 */
export function parseGetStatus(bytes: Uint8Array, subset?: RegistrySubset): RegistryReply {
  const { nodes, statusWord, unfinishedFrom } = layoutOf(bytes)
  return {
    entries: nodes.map((node) => entryOf(bytes, node, subset)),
    ...(statusWord !== undefined && { statusWord }),
    ...(unfinishedFrom !== undefined && { unfinishedFrom }),
  }
}

/**
 * Concatenates the replies of a long list, so that truncated entries become complete. A card
 * announces more with `6310`; the next reply is requested with P2 `03`.
 */
export const joinGetStatus = (replies: readonly Uint8Array[]): Uint8Array =>
  concat(
    ...replies.map((reply) => {
      const { end } = reply.length < 2 ? { end: reply.length } : { end: reply.length - 2 }
      const word = (byteAt(reply, end) << 8) | byteAt(reply, end + 1)
      if (!isStatusWord(word))
        throw new DecodeError('wrongValue', end, {
          expected: '61xx–6Fxx, 9xxx',
          found: toHex(reply.subarray(end)),
        })
      return reply.subarray(0, end)
    }),
  )

function entryOf(bytes: Uint8Array, node: TlvNode, subset?: RegistrySubset): RegistryEntry {
  const children = node.children ?? []
  const valueOf = (tag: string) => {
    const child = children.find((each) => each.tag === tag)
    return child && bytes.subarray(child.valueFrom, child.to)
  }
  const aidOf = (child: TlvNode) => {
    const { valueFrom, to } = child
    // A zero length means no AID.
    if (to > valueFrom) parseAid(bytes, valueFrom, to)
    return toHex(bytes.subarray(valueFrom, to))
  }
  const required = (tag: string) => {
    const child = children.find((each) => each.tag === tag)
    if (!child) throw new DecodeError('missingTag', node.from, { expected: tag })
    return child
  }
  const aid = aidOf(required('4F'))
  const life = required('9F70')
  const size = life.to - life.valueFrom
  if (size !== 1 && size !== 2)
    throw new DecodeError('wrongLength', life.valueFrom, { expected: '1 / 2', found: `${size}` })
  const lifeCycle = byteAt(bytes, life.valueFrom)
  const c5 = children.find(({ tag }) => tag === 'C5')
  const privileges = c5 && decodePrivileges(bytes, c5.valueFrom, c5.to)
  const modules = children.filter(({ tag }) => tag === '84').map(aidOf)
  const kind = kindOf({ aid, lifeCycle, privileges, modules }, subset)
  const state = lifeCycleState(ownerOf(kind), lifeCycle)
  const loadFile = children.find(({ tag }) => tag === 'C4')
  const domain = children.find(({ tag }) => tag === 'CC')
  const version = valueOf('CE')
  return {
    aid,
    kind,
    lifeCycle,
    ...(size === 2 && { lifeCycleExtra: byteAt(bytes, life.valueFrom + 1) }),
    ...(state && { state }),
    ...(privileges && { privileges }),
    implicitSelection: children
      .filter(({ tag, to, valueFrom }) => tag === 'CF' && to > valueFrom)
      .map(({ valueFrom }) => byteAt(bytes, valueFrom)),
    ...(loadFile && { loadFileAid: aidOf(loadFile) }),
    ...(version?.length === 2 && { version: `${byteAt(version, 0)}.${byteAt(version, 1)}` }),
    ...(domain && { securityDomainAid: aidOf(domain) }),
    modules,
  }
}

/** The kind of an entry, from the requested subset or from its contents. */
export function kindOf(
  entry: {
    aid: string
    lifeCycle: number
    privileges: PrivilegeName[] | undefined
    modules: string[]
  },
  subset?: RegistrySubset,
): RegistryKind {
  const { aid, lifeCycle, privileges, modules } = entry
  if (subset === 'issuer') return 'issuer'
  const isLoadFile = privileges === undefined && (modules.length > 0 || lifeCycle <= 1)
  if (subset === 'loadFiles' || (subset === undefined && isLoadFile)) return 'loadFile'
  if (!privileges?.includes('securityDomain')) return 'application'
  return subset === undefined && isIssuerAid(aid) ? 'issuer' : 'securityDomain'
}

/** Encodes registry entries as a card returns them. */
export const encodeGetStatus = (entries: readonly RegistryEntry[]): Uint8Array =>
  encodeTlv(
    entries.map((entry) => {
      const aid = (tag: string, hex: string | undefined): TlvInput[] =>
        hex === undefined ? [] : [{ tag, value: hex === '' ? new Uint8Array() : readHex(hex) }]
      const { lifeCycle, lifeCycleExtra, privileges, version } = entry
      const life = lifeCycleExtra === undefined ? [lifeCycle] : [lifeCycle, lifeCycleExtra]
      return {
        tag: 'E3',
        value: [
          ...aid('4F', entry.aid),
          { tag: '9F70', value: Uint8Array.from(life) },
          ...(privileges ? [{ tag: 'C5', value: encodePrivileges(privileges) }] : []),
          ...entry.implicitSelection.map((byte) => ({ tag: 'CF', value: Uint8Array.of(byte) })),
          ...aid('C4', entry.loadFileAid),
          ...aid('CC', entry.securityDomainAid),
          ...(version === undefined
            ? []
            : [{ tag: 'CE', value: Uint8Array.from(version.split('.').map(Number)) }]),
          ...entry.modules.flatMap((module) => aid('84', module)),
        ],
      }
    }),
  )

/** Explains a reply to GET STATUS: each entry, an incomplete one, and the status word. */
export function explainGetStatus(bytes: Uint8Array, now: Date, subset?: RegistrySubset): Part[] {
  const { nodes, end, statusWord, unfinishedFrom } = layoutOf(bytes)
  return [
    ...nodes.flatMap((node) => {
      const { kind } = entryOf(bytes, node, subset)
      return explainNodes(bytes, [node], {
        now,
        special: ({ valueFrom, to }, name) =>
          name === 'lifeCycle' ? explainLifeCycle(bytes, valueFrom, to, ownerOf(kind)) : undefined,
      })
    }),
    ...(unfinishedFrom === undefined ? [] : [part(bytes, 'unfinished', unfinishedFrom, end)]),
    ...(statusWord === undefined ? [] : explainStatusWord(bytes, end)),
  ]
}

function explainLifeCycle(
  bytes: Uint8Array,
  from: number,
  to: number,
  owner: LifeCycleOwner,
): Pick<Part, 'meaning' | 'parts'> {
  const state = lifeCycleState(owner, byteAt(bytes, from))
  return {
    ...(state && term(`state.${state}`)),
    ...(to - from === 2 && {
      parts: [part(bytes, 'value', from, from + 1), part(bytes, 'lifeCycleExtra', from + 1, to)],
    }),
  }
}
