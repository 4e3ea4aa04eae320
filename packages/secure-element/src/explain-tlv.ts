import { aidPart } from './aid.ts'
import { byteAt, toHex } from './bytes.ts'
import { attempt } from './decode-error.ts'
import { explainCplc } from './explain-cplc.ts'
import { explainKeyInformation } from './key-information.ts'
import { oidMeaning } from './object-identifier.ts'
import { named, number, part, type Meaning, type Part, type PartName } from './part.ts'
import { decodePrivileges, explainPrivileges } from './privileges.ts'
import { tagName } from './tag-names.ts'
import { parseTlv, type TlvNode } from './tlv.ts'

interface Inside {
  /** The tag of the parent object. */
  parent?: string
  now: Date
  /** Overrides the explanation of an object; undefined falls back to its tag. */
  special?: (node: TlvNode, name: PartName) => Pick<Part, 'meaning' | 'parts'> | undefined
}

/** Explains BER-TLV objects: name, tag, length, and value or child objects of each. */
export const explainTlv = (
  bytes: Uint8Array,
  now: Date,
  from = 0,
  to: number = bytes.length,
): Part[] => explainNodes(bytes, parseTlv(bytes, from, to), { now })

export const explainNodes = (
  bytes: Uint8Array,
  nodes: readonly TlvNode[],
  inside: Inside,
): Part[] => nodes.map((node) => explainNode(bytes, node, inside))

function explainNode(bytes: Uint8Array, node: TlvNode, inside: Inside): Part {
  const { tag, from, lengthFrom, valueFrom, to, children } = node
  const name = tagName(tag, inside.parent)
  const head = [
    part(bytes, 'tag', from, lengthFrom),
    part(bytes, 'length', lengthFrom, valueFrom, number(to - valueFrom)),
  ]
  if (children)
    return part(bytes, name, from, to, {
      parts: [...head, ...explainNodes(bytes, children, { ...inside, parent: tag })],
    })
  const { meaning, parts } =
    inside.special?.(node, name) ?? explainValue(bytes, name, valueFrom, to, inside.now)
  const value = part(bytes, 'value', valueFrom, to, parts && { parts })
  return part(bytes, name, from, to, {
    ...(meaning && { meaning }),
    parts: to > valueFrom ? [...head, value] : head,
  })
}

const aids = new Set<PartName>(['aid', 'dfName', 'moduleAid', 'loadFileAid', 'securityDomainAid'])
const counts = new Set<PartName>([
  'maximumDataLength',
  'sequenceCounter',
  'confirmationCounter',
  'codeMemory',
  'volatileMemory',
  'nonVolatileMemory',
  'installedApplications',
  'freeNonVolatileMemory',
  'freeVolatileMemory',
  'keyId',
  'keyVersion',
])
const privileges = new Set<PartName>(['privileges', 'domainPrivileges', 'applicationPrivileges'])

/** Explains a primitive value by its tag name. A malformed value stays plain. */
function explainValue(
  bytes: Uint8Array,
  name: PartName,
  from: number,
  to: number,
  now: Date,
): Pick<Part, 'meaning' | 'parts'> {
  if (aids.has(name)) return attempt(() => inAid(bytes, name, from, to)) ?? {}
  if (privileges.has(name)) return attempt(() => inPrivileges(bytes, from, to)) ?? {}
  if (name === 'objectIdentifier') return { ...oidMeaning(bytes, from, to) }
  if (name === 'keyInformation')
    return { ...wrap(attempt(() => explainKeyInformation(bytes, from, to))) }
  if (name === 'cplc') return { ...wrap(attempt(() => explainCplc(bytes, now, from, to))) }
  if (name === 'loadFileVersion' && to - from === 2)
    return named(`${byteAt(bytes, from)}.${byteAt(bytes, from + 1)}`)
  if (counts.has(name) && to > from && to - from <= 4)
    return number(Number.parseInt(toHex(bytes.subarray(from, to)), 16))
  return {}
}

const wrap = (parts: Part[] | undefined) => parts && { parts }

function inAid(bytes: Uint8Array, name: PartName, from: number, to: number) {
  const { meaning, parts } = aidPart(bytes, name, from, to)
  return { ...(meaning && { meaning }), ...(parts && { parts }) }
}

function inPrivileges(bytes: Uint8Array, from: number, to: number) {
  const terms = decodePrivileges(bytes, from, to).map((name) => `privilege.${name}` as const)
  const meaning: Meaning = { kind: 'terms', terms }
  return { meaning, parts: explainPrivileges(bytes, from, to) }
}
