import { parseAid } from '../aid.ts'
import { toHex } from '../bytes.ts'
import { lengthValue } from './objects.ts'
import { refuse } from './refusal.ts'

/** GlobalPlatform cards answer this when there is no receipt. */
export const noReceipt = Uint8Array.of(0)

const none = new Uint8Array()

/** The length-prefixed fields of INSTALL. */
export interface InstallFields {
  first: Uint8Array
  second: Uint8Array
  third: Uint8Array
  privileges: Uint8Array
  parameters: Uint8Array
  token: Uint8Array
  /** Everything except the token: what the token signs. */
  signed: Uint8Array
}

export function fieldsOf(data: Uint8Array, hasPrivileges: boolean): InstallFields {
  const fields: Uint8Array[] = []
  let at = 0
  let last = 0
  while (at < data.length) {
    last = at
    const { value, next } = lengthValue(data, at)
    fields.push(value)
    at = next
  }
  if (fields.length !== (hasPrivileges ? 6 : 5)) return refuse('wrongData')
  if (!hasPrivileges) fields.splice(3, 0, none)
  const [first = none, second = none, third = none, privileges = none, ...rest] = fields
  const [parameters = none, token = none] = rest
  return { first, second, third, privileges, parameters, token, signed: data.slice(0, last) }
}

/** A mandatory AID, in hex. */
export const aidOf = (bytes: Uint8Array): string => {
  parseAid(bytes)
  return toHex(bytes)
}
