import { encodeTlv, parseTlv } from '../tlv.ts'
import { byteAt } from '../bytes.ts'
import type { CardState, DomainData, Memory, StoredApplication } from './card-state.ts'
import { isBelow } from './domains.ts'
import { refuse } from './refusal.ts'

/** Base size of an instance, and size of a key, in bytes. */
const perApplication = 256
const perKey = 64

const hexBytes = (values: Iterable<string>): number => {
  let sum = 0
  for (const value of values) sum += value.length / 2
  return sum
}

const domainBytes = ({
  keySets,
  objects,
  certificates = {},
  allowed = {},
  authorities = {},
}: DomainData): number =>
  keySets.reduce((sum, { keys }) => sum + keys.length * perKey, 0) +
  hexBytes([
    ...Object.values(objects),
    ...Object.values(certificates),
    ...Object.values(allowed).flat(),
    ...Object.values(authorities),
  ])

const applicationBytes = ({ parameters, data, domain, reserved }: StoredApplication): number => {
  const own = hexBytes([parameters, ...Object.values(data)]) + (domain ? domainBytes(domain) : 0)
  return perApplication + Math.max(own, reserved.nonVolatile ?? 0)
}

/** Memory used by a domain and everything in it. */
const belowBytes = (state: CardState, domainAid: string): number => {
  const isIn = (aid: string) => aid === domainAid || isBelow(state, aid, domainAid)
  return (
    state.loadFiles.reduce((sum, each) => sum + (isIn(each.domainAid) ? each.size : 0), 0) +
    state.applications.reduce((sum, each) => sum + (isIn(each.aid) ? applicationBytes(each) : 0), 0)
  )
}

/** Free memory, in bytes. */
export const freeMemory = (state: CardState): number => {
  const { memory, loadFiles, applications, loadedBytes } = state
  // The manufacturer's keys take none of it.
  const issuer = Math.max(0, domainBytes(state) - 3 * perKey)
  return (
    memory -
    loadedBytes -
    issuer -
    loadFiles.reduce((sum, { size }) => sum + size, 0) -
    applications.reduce((sum, each) => sum + applicationBytes(each), 0)
  )
}

export const freeVolatileMemory = ({ volatileMemory, applications }: CardState): number =>
  volatileMemory - applications.reduce((sum, { reserved }) => sum + (reserved.volatile ?? 0), 0)

/** Rejects a state that exceeds the card's memory or a quota. */
export function checkMemory(state: CardState): void {
  if (freeMemory(state) < 0 || freeVolatileMemory(state) < 0) return refuse('noSpace')
  for (const { aid, quota, reserved } of state.applications) {
    if ((reserved.volatile ?? 0) > (quota.volatile ?? Infinity)) return refuse('noSpace')
    if (quota.nonVolatile === undefined) continue
    if (belowBytes(state, aid) > quota.nonVolatile) return refuse('noSpace')
  }
}

/** Numbers of the system parameters: two bytes or four (GlobalPlatform 2.3.1, table 11-49). */
export function systemNumbers(parameters: Uint8Array): Record<string, number> {
  const [system] = parseTlv(parameters).filter(({ tag }) => tag === 'EF')
  const numbers: Record<string, number> = {}
  for (const { tag, valueFrom, to } of system?.children ?? []) {
    if (!['C6', 'C7', 'C8', 'D7', 'D8'].includes(tag)) continue
    if (to - valueFrom !== 2 && to - valueFrom !== 4) return refuse('wrongData')
    let value = 0
    for (let at = valueFrom; at < to; at++) value = value * 256 + byteAt(parameters, at)
    numbers[tag] = value
  }
  return numbers
}

export const memoryOf = (
  numbers: Record<string, number>,
  volatileTag: string,
  nonVolatileTag: string,
): Memory => {
  const { [volatileTag]: volatile, [nonVolatileTag]: nonVolatile } = numbers
  return {
    ...(volatile !== undefined && { volatile }),
    ...(nonVolatile !== undefined && { nonVolatile }),
  }
}

const bigEndian = (value: number) => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, Math.max(0, value))
  return bytes
}

/** Extended card resources (ETSI TS 102 226, 8.2.1.7.2): number of applications and free memory. */
export const cardResources = (state: CardState): Uint8Array =>
  encodeTlv([
    {
      tag: 'FF21',
      value: [
        { tag: '81', value: bigEndian(state.applications.length).slice(2) },
        { tag: '82', value: bigEndian(freeMemory(state)) },
        { tag: '83', value: bigEndian(freeVolatileMemory(state)) },
      ],
    },
  ])
