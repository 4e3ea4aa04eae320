import { toHex } from '../bytes.ts'
import { checkCplc } from '../cplc.ts'
import { DecodeError } from '../decode-error.ts'
import { getData } from './commands.ts'
import type { Send } from './run.ts'

const success = 0x9000

/**
 * The CPLC of a card in which the issuer domain is selected: 84 hex digits, null if it has none or
 * answers nonsense. Some cards know the object in the interindustry class alone.
 */
export async function readCplc(send: Send): Promise<string | null> {
  for (const cla of [0x80, 0x00] as const) {
    const { data, statusWord } = await send(getData({ tag: '9F7F', cla })).catch(nothing)
    const check = checkCplc(toHex(data))
    if (statusWord === success && check.kind === 'complete') return check.cplc
  }
  return null
}

function nothing(error: unknown) {
  if (error instanceof DecodeError) return { data: new Uint8Array(), statusWord: 0 }
  throw error
}
