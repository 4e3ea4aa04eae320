import { parseCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { parseTlv } from '@grove/secure-element/tlv'

/** INSTALL by its P1 (GlobalPlatform Card Specification 2.3.1, table 11-41). */
const installs: Partial<Record<number, string>> = {
  0x02: 'INSTALL [for load]',
  0x04: 'INSTALL [for install]',
  0x08: 'INSTALL [for make selectable]',
  0x0c: 'INSTALL [for install and make selectable]',
  0x10: 'INSTALL [for extradition]',
  0x40: 'INSTALL [for registry update]',
}

const leastAid = 5
/** The first fields of an INSTALL are AIDs; later ones are privileges and parameters. */
const aidFields = 3

function aidsOf(data: Uint8Array): string[] {
  const aids: string[] = []
  for (let at = 0, field = 0; at < data.length && field < aidFields; field++) {
    const length = data[at] ?? 0
    if (length >= leastAid && length <= 16) aids.push(toHex(data.slice(at + 1, at + 1 + length)))
    at += length + 1
  }
  return aids
}

const installIns = 0xe6

/** A short description of a command to be signed; undefined if it is unreadable. */
export function commandText(hex: string): string | undefined {
  try {
    const { ins, p1, data } = parseCommand(readHex(hex))
    if (ins === installIns) return [installs[p1] ?? 'INSTALL', ...aidsOf(data)].join(' ')
    const names = parseTlv(data).filter(({ tag }) => tag === '4F')
    return ['DELETE', ...names.map(({ valueFrom, to }) => toHex(data.slice(valueFrom, to)))].join(
      ' ',
    )
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
