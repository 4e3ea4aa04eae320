import type { Command } from '../apdu.ts'
import { parseAid } from '../aid.ts'
import { byteAt, concat, readHex, toHex } from '../bytes.ts'
import { cplcDigits } from '../cplc.ts'
import { parseCertificates } from '../secure-channel/certificate.ts'
import { parseTlv, readTlvHeads } from '../tlv.ts'
import { isAuthority, serialNumberOf } from './agreement.ts'
import { domainData, isDomain } from './domains.ts'
import { personalize } from './models/applet.ts'
import { refuse } from './refusal.ts'
import { isTaken } from './registry.ts'
import type { CardContext } from './volatile.ts'

const formats = { dgi: 0x08, mask: 0x18, reserved: 0x18 } as const
const encrypted = 0x60
const last = 0x80
/** Data grouping of objects of a security domain (GlobalPlatform Card Specification 2.3.1, 11.11.2.3). */
const domainGroup = '0070'

/** STORE DATA: blocks in order, processed when the last one arrives. */
export function storeData(context: CardContext, { p1, p2, data }: Command): Uint8Array {
  const { session, state } = context
  const { storing = { data: new Uint8Array(), next: 0 }, personalizing } = session
  session.storing = undefined
  if ((p1 & formats.mask) === formats.reserved || p2 !== storing.next)
    return refuse('wrongParameters')
  const all = concat(storing.data, data)
  if (all.length > state.memory) return refuse('noSpace')
  if ((p1 & last) === 0) {
    session.storing = { data: all, next: storing.next + 1 }
    return new Uint8Array()
  }
  const target = personalizing ?? session.selected
  if (!isDomain(state, target)) {
    personalize(context, target, all)
    return new Uint8Array()
  }
  // A domain keeps no secrets but its keys, which PUT KEY sets.
  if ((p1 & encrypted) === encrypted) return refuse('unsupportedFunction')
  const isGrouped = (p1 & formats.mask) === formats.dgi
  store(context, target, isGrouped ? ungrouped(all) : all)
  return new Uint8Array()
}

/** The objects of data groupings: two-byte id, length of one byte or `FF` and two, contents. */
function ungrouped(data: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < data.length;) {
    const isLong = byteAt(data, at + 2) === 0xff
    const from = at + (isLong ? 5 : 3)
    const length = isLong
      ? (byteAt(data, at + 3) << 8) | byteAt(data, at + 4)
      : byteAt(data, at + 2)
    if (from + length > data.length) return refuse('wrongData')
    if (toHex(data.subarray(at, at + 2)) !== domainGroup) return refuse('missingReference')
    pieces.push(data.subarray(from, from + length))
    at = from + length
  }
  return concat(...pieces)
}

/** Offsets of the CPLC fields that a card issuer may write (GlobalPlatformPro, CPLC.java). */
const cplcFields: Record<string, number> = { '9F67': 26, '9F66': 34 }
const cplcField = 8

/** Objects that a domain stores unchanged. */
const kept = new Set(['42', '45', '5F50', 'CF'])

function store({ state, session, write }: CardContext, target: string, data: Uint8Array): void {
  const isIssuer = target === state.issuerAid
  const objects = readTlvHeads(data).map(({ tag, valueFrom, to }) => ({
    tag,
    value: data.slice(valueFrom, to),
  }))
  if (objects.length === 0) return refuse('wrongData')
  const [first] = objects
  if (first?.tag === 'A6') return storeOfKey({ state, write }, target, objects)
  for (const { tag, value } of objects) {
    const isName = tag === '4F' && isIssuer
    if (isName) parseAid(value)
    if (isName && toHex(value) !== target && isTaken(state, toHex(value))) return refuse('notNow')
    const isCplc = isIssuer && cplcFields[tag] !== undefined
    if (isCplc && value.length !== cplcField) return refuse('wrongLength')
    if (!isName && !isCplc && !(kept.has(tag) && value.length > 0))
      return refuse('missingReference')
  }
  let name = target
  write((next) => {
    for (const { tag, value } of objects) {
      const at = cplcFields[tag]
      const domain = domainData(next, target)
      if (tag === '4F') name = toHex(value)
      else if (at !== undefined) next.cplc = withField(next.cplc, at, value)
      else if (domain) domain.objects[tag] = toHex(value)
    }
    if (name === target) return
    next.issuerAid = name
    for (const each of [...next.applications, ...next.loadFiles])
      if (each.domainAid === target) each.domainAid = name
  })
  if (isIssuer) session.selected = name
}

/**
 * Stores data of an SCP11 key, which a control reference template names: inside the template the
 * identifier of its authority; after it the certificates of one of the card's own keys, or the serial
 * numbers of hosts that an authority admits. Nothing removes them.
 */
function storeOfKey(
  { state, write }: Pick<CardContext, 'state' | 'write'>,
  target: string,
  [template, content, ...others]: { tag: string; value: Uint8Array }[],
): void {
  const within = template?.value ?? new Uint8Array()
  const nodes = parseTlv(within)
  const fields = new Map(
    nodes.map(({ tag, valueFrom, to }) => [tag, within.slice(valueFrom, to)] as const),
  )
  const bytes = fields.get('83')
  const identifier = fields.get('42')
  // `80` states which side an authority certifies, as its key does too.
  const known = identifier ? ['80', '42', '83'] : ['83']
  const isNamed = bytes?.length === 2 && nodes.every(({ tag }) => known.includes(tag))
  if (!isNamed || fields.size < nodes.length || others.length > 0) return refuse('wrongData')
  if ((identifier === undefined) === (content === undefined)) return refuse('wrongData')
  const [id, version] = bytes
  const set = domainData(state, target)?.keySets.find((each) => each.version === version)
  const key = set?.keys.find((each) => each.id === id) ?? refuse('missingReference')
  const reference = toHex(bytes)
  if (identifier) {
    const isOfHosts = key.algorithm === 'EC' && isAuthority(key.id)
    if (!isOfHosts && key.algorithm !== 'ECPrivate') return refuse('missingReference')
    if (identifier.length === 0) return refuse('wrongData')
    return write((next) => {
      const domain = domainData(next, target)
      if (domain) domain.authorities = { ...domain.authorities, [reference]: toHex(identifier) }
    })
  }
  if (!content) return refuse('wrongData')
  const { tag, value } = content
  if (tag === 'BF21') {
    if (key.algorithm !== 'ECPrivate') return refuse('missingReference')
    parseCertificates(value)
  } else if (tag !== '70') return refuse('wrongData')
  else if (key.algorithm !== 'EC' || !isAuthority(key.id)) return refuse('missingReference')
  const serials = tag === '70' ? serialNumbers(value) : []
  write((next) => {
    const domain = domainData(next, target)
    if (!domain) return
    const { [reference]: _, ...certificates } = domain.certificates ?? {}
    const { [reference]: __, ...allowed } = domain.allowed ?? {}
    if (tag === '70')
      domain.allowed = { ...allowed, ...(serials.length > 0 && { [reference]: serials }) }
    else
      domain.certificates = {
        ...certificates,
        ...(value.length > 0 && { [reference]: toHex(value) }),
      }
  })
}

function serialNumbers(list: Uint8Array): string[] {
  return readTlvHeads(list).map(({ tag, valueFrom, to }) => {
    if (tag !== '93' || valueFrom === to) return refuse('wrongData')
    return serialNumberOf(toHex(list.slice(valueFrom, to)))
  })
}

function withField(cplc: string, at: number, value: Uint8Array): string {
  if (cplc.length !== cplcDigits) return cplc
  const bytes = readHex(cplc)
  bytes.set(value, at)
  return toHex(bytes)
}
