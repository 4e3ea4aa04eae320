import { byteAt } from '../../bytes.ts'
import type { ComponentName } from '../components.ts'
import type { Collector } from './finding.ts'

/** A component ends in the middle of a record. Never thrown outside the verifier. */
export class CutOff extends Error {
  readonly at: number
  constructor(at: number) {
    super('cut off')
    this.name = 'CutOff'
    this.at = at
  }
}

/** Reads the contents of a component in sequence. @throws CutOff */
export function readerOf(data: Uint8Array) {
  let at = 0
  const need = (length: number) => {
    if (at + length > data.length) throw new CutOff(at)
  }
  const number = (length: number) => {
    need(length)
    let value = 0
    for (let index = 0; index < length; index++) value = value * 256 + byteAt(data, at + index)
    at += length
    return value
  }
  return {
    at: () => at,
    isAtEnd: () => at >= data.length,
    left: () => data.length - at,
    u1: () => number(1),
    u2: () => number(2),
    u4: () => number(4),
    take(length: number) {
      need(length)
      at += length
      return data.subarray(at - length, at)
    },
  }
}

export type Reader = ReturnType<typeof readerOf>

/** Reads a component; if it is truncated, adds a finding and keeps what was read. */
export function reading(
  { error }: Collector,
  component: ComponentName,
  data: Uint8Array,
  read: (reader: Reader) => void,
): void {
  const reader = readerOf(data)
  try {
    read(reader)
    if (!reader.isAtEnd())
      error('leftOver', { component, offset: reader.at() }, { count: reader.left() })
  } catch (failure) {
    if (!(failure instanceof CutOff)) throw failure
    error('cutOff', { component, offset: failure.at })
  }
}

/** A method's address from its block and offset; the compact format has only block 0. */
export const addressOf = (block: number, offset: number): number => block * 0x1_0000 + offset
export const blockOf = (address: number): number => Math.floor(address / 0x1_0000)
export const offsetOf = (address: number): number => address % 0x1_0000

export const hexOf = (value: number, digits = 4): string =>
  value.toString(16).toUpperCase().padStart(digits, '0')

/** A place as shown in messages. */
export const shownAddress = (address: number, isExtended: boolean): string =>
  isExtended ? `${blockOf(address)}:${hexOf(offsetOf(address))}` : hexOf(offsetOf(address))
