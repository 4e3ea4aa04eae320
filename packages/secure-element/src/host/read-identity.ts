import type { Response } from '../apdu.ts'
import { toHex } from '../bytes.ts'
import { checkCplc } from '../cplc.ts'
import { DecodeError } from '../decode-error.ts'
import { hashIdentity } from '../hash-identity.ts'
import { getData, select } from './commands.ts'
import { command } from './fields.ts'
import type { Send } from './run.ts'

const success = 0x9000
/** The eUICC's controlling authority security domain (GSMA SGP.02, 2.2.3), with the EID under `5A`. */
const ecasd = 'A0000005591010FFFFFFFF8900000200'
/** The master file and the file with the ICCID (ETSI TS 102 221, 13.2), selected by their ids. */
const masterFile = 0x3f00
const iccidFile = 0x2fe2
const iccidLength = 10

/**
 * The id of a card in which the issuer domain is selected: its CPLC, 84 hex digits; otherwise one that
 * is derived from the first of these that the card has: its IIN and CIN, its key diversification data,
 * its EID, its ICCID. Null if it has none of them.
 *
 * @param options.maySelect The last two need other applications to be selected, which ends a secure
 * channel. The issuer domain is selected again after them.
 */
export async function readIdentity(
  send: Send,
  { maySelect = true }: { maySelect?: boolean } = {},
): Promise<string | null> {
  const cplc = await readObject(send, '9F7F')
  const check = checkCplc(cplc ?? '')
  if (check.kind === 'complete' && !isBlank(check.cplc)) return check.cplc
  const issuer = await readObject(send, '42')
  const card = issuer === null ? null : await readObject(send, '45')
  if (issuer !== null && card !== null) return hashIdentity('cardNumbers', issuer, card)
  const diversification = await readObject(send, 'CF')
  if (diversification !== null) return hashIdentity('diversificationData', diversification)
  if (!maySelect) return null
  try {
    const eid = await readEid(send)
    if (eid !== null) return hashIdentity('eid', eid)
    const iccid = await readIccid(send)
    return iccid === null ? null : hashIdentity('iccid', iccid)
  } finally {
    await tried(send(select()))
  }
}

/** Some cards know an object only in the interindustry class, and some answer without its tag. */
async function readObject(send: Send, tag: string): Promise<string | null> {
  for (const cla of [0x80, 0x00] as const) {
    const { data, statusWord } = await tried(send(getData({ tag, cla })))
    const text = toHex(data)
    if (statusWord === success && !isBlank(valueOf(text, tag))) return valueOf(text, tag)
  }
  return null
}

/** Without the tag and its length, if the length is right. */
function valueOf(text: string, tag: string): string {
  const length = Number.parseInt(text.slice(tag.length, tag.length + 2), 16)
  const value = text.slice(tag.length + 2)
  return text.startsWith(tag) && value.length === length * 2 ? value : text
}

/** Empty, or only 00 or FF: the number was never written. */
const isBlank = (hex: string): boolean => /^(?:(?:00)*|(?:FF)*)$/.test(hex)

async function readEid(send: Send): Promise<string | null> {
  if ((await tried(send(select({ aid: ecasd })))).statusWord !== success) return null
  return readObject(send, '5A')
}

async function readIccid(send: Send): Promise<string | null> {
  for (const file of [masterFile, iccidFile]) {
    const id = Uint8Array.of(file >> 8, file & 0xff)
    const { statusWord } = await tried(send({ ...command(0xa4, 0x00, 0x04, id), cla: 0x00 }))
    if (statusWord !== success) return null
  }
  const read = { ...command(0xb0, 0x00, 0x00, new Uint8Array()), cla: 0x00 }
  const { data, statusWord } = await tried(send(read))
  const text = toHex(data.slice(0, iccidLength))
  return statusWord === success && data.length >= iccidLength && !isBlank(text) ? text : null
}

/** A malformed answer counts as that of a card without the object. */
const tried = (sent: Promise<Response>): Promise<Response> =>
  sent.catch((error: unknown) => {
    if (error instanceof DecodeError) return { data: new Uint8Array(), statusWord: 0 }
    throw error
  })
